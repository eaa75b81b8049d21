import Glibc
import Service

exit(Daemon.main(Array(CommandLine.arguments.dropFirst())))
