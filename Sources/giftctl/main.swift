import Glibc

exit(Giftctl.run(Array(CommandLine.arguments.dropFirst()), .standard).rawValue)
