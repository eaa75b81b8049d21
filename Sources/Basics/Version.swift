/// The version of the whole package, as `--version`, status and metrics say it.
package enum Version {
    package static let text = "0.1.0"
}
