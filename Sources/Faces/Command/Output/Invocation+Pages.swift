import AggregatorCore
import Platform

extension Invocation {
  /// Opens a page in a browser, without waiting for it. If that fails, a person is told the address; the command runs on.
  package func openPage(_ page: String) {
    var environment = program.environment
    // A browser has no use for keys.
    for key in program.declared where key.isSecret { environment[key.name] = nil }
    let wanted = environment["BROWSER"].flatMap { $0.isEmpty ? nil : $0 }
    let name = wanted ?? Self.usualOpener
    let path = name.contains("/") ? Paths.join(program.workingDirectory, name) : Child.find(name, in: environment)
    if let path, ChildProcess.canRun(path), Child.detached(path, [page], environment: environment) { return }
    tell(wanted.map { "cannot run the browser \"\($0)\"; open \(page)" } ?? "no browser found; set BROWSER, or open \(page)")
  }

  #if canImport(Darwin)
    private static let usualOpener = "open"
  #else
    private static let usualOpener = "xdg-open"
  #endif
}
