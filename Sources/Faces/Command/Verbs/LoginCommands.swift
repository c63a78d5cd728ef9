import AggregatorCore
import Asking
import Logins
import Platform
import Services

/// `login SOURCE` and `logout SOURCE`: the tokens of a service are got, and removed.
enum LoginCommands {
  static let login = Command(
    ["login"], .one(.source), options: [.timeout],
    "log in to a source's service; its tokens are renewed by themselves from then on",
    examplesIn: { examples(["login", "login --timeout 60"], in: $0) }
  ) { invocation in
    let (source, keeper) = try await keeper(invocation)
    let clock = invocation.program.clock
    try await clock.limit(until: invocation.timeout().map { clock.now + $0 }) {
      try await LoginDialog(keeper) { show($0, of: source, invocation) }.run()
    }
    invocation.say("\(source): \(keeper.state.words)")
    return .success
  }

  static let logout = Command(
    ["logout"], .one(.source), "remove a source's tokens from this machine; the service may keep the login until it ends",
    examplesIn: { examples(["logout", "logout --quiet"], in: $0) }
  ) { invocation in
    let (source, keeper) = try await keeper(invocation)
    invocation.say(try await keeper.logOut() ? "\(source): its tokens were removed" : "\(source): not logged in")
    return .success
  }

  /// Returns the lines with the name of a source that has a login at their ends; nothing if none has one.
  private static func examples(_ lines: [String], in catalogue: Catalogue) -> [String] {
    let source = catalogue.sources.first { $0.settings.contains(where: \.isFromLogin) }
    return source.map { source in lines.map { "\($0) \(source.name)" } } ?? []
  }

  /// Returns the login of the source that the line names. Throws if the source has none, or no leave to send anything.
  private static func keeper(_ invocation: Invocation) async throws -> (source: String, keeper: LoginKeeper) {
    let program = invocation.program
    let source = try invocation.source(named: invocation.arguments[0], in: "\(invocation.command.name) SOURCE")
    guard let file = source.file else { throw none(source.name) }
    let contents = try ManifestContents(at: file)
    guard contents.manifest.keys.contains(where: { $0.oauth != nil }) else { throw none(source.name) }
    try program.manifests.permissions.check(contents, beside: program.catalogue, asking: source.name)
    guard program.folders.state != nil else {
      throw SourceError(.settings, "tokens cannot be kept: neither XDG_STATE_HOME nor HOME names a folder")
    }
    guard let keeper = try contents.manifest.login(in: try await invocation.askingWorld(of: [source]), of: source.name) else {
      let names = contents.manifest.keys.filter { $0.oauth != nil }.map(\.setting.name)
      throw SourceError(
        .settings, "\(source.name) uses the token in \(names.joined(separator: ", "))", remedy: "remove it to log in instead")
    }
    return (source.name, keeper)
  }

  private static func none(_ source: String) -> UsageError {
    UsageError("\(source) has no login: the description of its service names none")
  }

  private static func show(_ invitation: LoginDialog.Invitation, of source: String, _ invocation: Invocation) {
    let page = invitation.page.shown
    if let code = invitation.code {
      invocation.tell("\(source): open \(page) on any device, and type the code \(code)")
      return
    }
    invocation.tell("\(source): log in on the page that opens; if none opens, go to \(page)")
    invocation.openPage(page)
  }
}
