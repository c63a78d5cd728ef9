import AggregatorCore

/// A program that shows long results a screen at a time.
struct Pager: Sendable {
  /// It was named, but is not there.
  struct Missing: Error { let name: String }

  let path: String
  let arguments: [String]
  let environment: [String: String]

  /// The one that `AGGREGATOR_PAGER` or `PAGER` names, else `less` where it is installed; nil where nobody wants one.
  init?(_ environment: [String: String], hiding secrets: some Sequence<String>) throws(Missing) {
    var inherited = environment
    // It has no use for keys.
    for secret in secrets { inherited[secret] = nil }
    // What does not fill the screen is only printed, and stays there; colours are colours.
    inherited["LESS"] = inherited["LESS"] ?? "FRX"
    inherited["LV"] = inherited["LV"] ?? "-c"
    self.environment = inherited
    guard let command = environment["AGGREGATOR_PAGER"] ?? environment["PAGER"] else {
      guard let path = Child.find("less", in: environment) else { return nil }
      (self.path, arguments) = (path, ["-FRX"])
      return
    }
    guard !["", "cat"].contains(command.trimmingSpaces) else { return nil }
    let name = String(command.split(separator: " ").first ?? "")
    // What is more than a program and its options, the shell understands.
    let isPlain = !command.contains { "\"'\\$`|&;<>()=*?~#!{}[]".contains($0) }
    if isPlain, !(name.contains("/") ? Child.canRun(name) : Child.find(name, in: environment) != nil) { throw Missing(name: name) }
    // As everywhere, the value is a line of shell.
    (path, arguments) = ("/bin/sh", ["-c", command])
  }
}

extension Option {
  static let noPager = Option("no-pager", about: .output, "print long results at once, not a screen at a time")
}

extension Program {
  /// From now on results that do not fit on the screen go through a pager, where a person reads them.
  func page(_ invocation: Invocation) {
    let isWanted = console.isOutputTerminal && environment["TERM"] != "dumb" && !invocation.has(.noPager)
    // Pictures are saved after the records are printed, and their progress is worth seeing.
    // What `next` prints counts as shown, and nobody knows how far somebody has read in a pager.
    guard isWanted, !invocation.has(.images), invocation.command.words.last != "next" else { return }
    do throws(Pager.Missing) {
      if let pager = try Pager(environment, hiding: catalogue.settings.filter(\.isSecret).map(\.name)) { console.page(with: pager) }
    } catch {
      notices(invocation).say("pager \"\(error.name)\" not found; set PAGER, or use --no-pager")
    }
  }
}
