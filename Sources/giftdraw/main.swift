internal import Glibc

exit(DrawCommand.run(Array(CommandLine.arguments.dropFirst())))
