public import AggregatorCommand
import AggregatorCore
import Asking
import MCP
import Platform
import PostgresStore
import RecordFormats
import Recordings
import Store

extension Face {
  /// `mcp`: answers for programs that speak the Model Context Protocol, and `help agents`, their manual.
  public static let mcp = Face(topics: ["agents": manual], commands: [MCPCommand.command])

  /// Returns the manual for a model, as programs that speak the protocol get it.
  private static func manual(_ program: String) -> [String] {
    let names = MCPServer.toolNames
    return ["usage: \(program) mcp [OPTIONS]", ""] + MCPServer.manual.split(separator: "\n").map(String.init) + [
      "", "Tools: \(names.reading.joined(separator: ", ")); with --allow-sync also \(names.storing).",
      "'\(program) mcp --print-config claude' prints what to paste into the settings of a program.",
    ]
  }
}

/// `mcp`: the sources for a program that speaks the Model Context Protocol, over standard input and output.
enum MCPCommand {
  private static let printConfig = Option(
    "print-config", takes: .choice(Client.allCases.map(\.rawValue)),
    "print what to paste into the settings of that program")

  static let command = Command(
    ["mcp"], options: [.allowSync, printConfig, .timeout, .store], livesOn: true,
    "answer programs that speak MCP; the Model Context Protocol, over standard input and output; keys come from the key file alone, "
      + "and 'help agents' is the manual for a model",
    examples: ["mcp --print-config claude", "mcp --allow-sync"]
  ) { invocation in
    if let name = invocation.value(printConfig), let client = Client(rawValue: name) {
      try invocation.program.console.write(client.config(of: invocation))
      invocation.say("add it to \(client.file); to servers that are there already, add only \"\(invocation.program.name)\"")
      return .success
    }
    if invocation.program.console.isInputTerminal {
      throw UsageError(
        "mcp talks with a program; type '\(invocation.program.name) mcp --print-config claude' for the settings of one")
    }
    var invocation = invocation
    // Clients pass on few variables, so that a key in one would be there today and missing tomorrow.
    for key in invocation.program.catalogue.settings where key.isSecret {
      guard invocation.program.environment.removeValue(forKey: key.name) != nil else { continue }
      invocation.say("\(key.name) in the environment is not used; type '\(invocation.program.name) config set \(key.name)'")
    }
    let look = Look(invocation)
    var server = MCPServer(
      look: { try look.now() }, in: try await invocation.askingWorld(of: invocation.program.catalogue.sources))
    (server.program, server.version, server.engine) = (invocation.program.name, Program.version, SQLiteQueries())
    if invocation.has(.allowSync) { server.jobs = Jobs() }
    if let time = try invocation.timeout() { server.answerTime = time }
    let name = invocation.program.name
    server.wordsForPerson = { $0.words(name, $1) }
    signal(SIGPIPE, SIG_IGN)
    let left = try await Interruption.ending { [server] in await server.run() }
    guard left > 0 else { return .success }
    invocation.tell("the talk ended, and \(plural(left, "answer")) did not reach the client")
    return .partial
  }

  /// A program that has settings for servers.
  private enum Client: String, CaseIterable {
    case claude, cursor, vscode, codex

    var file: String {
      switch self {
      case .claude: "claude_desktop_config.json (in Claude: Settings, Developer, Edit Config)"
      case .cursor: "~/.cursor/mcp.json"
      case .vscode: ".vscode/mcp.json"
      case .codex: "~/.codex/config.toml"
      }
    }

    /// The settings with which the program starts this one.
    func config(of invocation: Invocation) throws -> String {
      let program = invocation.program
      let (arguments, environment) = (try Self.arguments(invocation), Self.environment(of: program))
      // The name by which it was found stays right when another version is installed.
      let name = CommandLine.arguments.first ?? program.name
      let path =
        name.contains("/") ? Paths.join(program.workingDirectory, name) : Child.find(name, in: program.environment) ?? name
      if self == .codex {
        func list(_ texts: [String]) -> String { texts.map { quoted($0) }.joined(separator: ", ") }
        let variables = environment.map { "\n\($0.name) = \(quoted($0.value.text ?? ""))" }.joined()
        return "[mcp_servers.\(program.name)]\ncommand = \(quoted(path))\nargs = [\(list(arguments))]\n"
          + (variables.isEmpty ? "" : "\n[mcp_servers.\(program.name).env]\(variables)\n")
      }
      var server: [Member] = self == .vscode ? [Member(name: "type", value: "stdio")] : []
      server += [
        Member(name: "command", value: .text(path)), Member(name: "args", value: .list(arguments.map { .text($0) })),
      ]
      if !environment.isEmpty { server.append(Member(name: "env", value: .object(environment))) }
      let servers = Value.object([Member(name: program.name, value: .object(server))])
      return Value.object([Member(name: self == .vscode ? "servers" : "mcpServers", value: servers)]).prettyBytes.text
    }

    /// The arguments with which the program starts this one: what this line has, with whole paths.
    private static func arguments(_ invocation: Invocation) throws -> [String] {
      let folder = invocation.program.workingDirectory
      var arguments = ["mcp"]
      if invocation.has(.allowSync) { arguments.append("--\(Option.allowSync.name)") }
      if let time = invocation.value(.timeout) { arguments += ["--\(Option.timeout.name)", time] }
      for option in [Option.config, .sources] {
        if let path = invocation.value(option) { arguments += ["--\(option.name)", Paths.join(folder, path)] }
      }
      if let place = invocation.value(.store) {
        if let address = ServerAddress(place), !address.secrets.isEmpty {
          let command = "\(invocation.program.name) config set \(StoreLocation.setting.name)"
          throw UsageError("the settings of a program are no place for a password; type '\(command)'")
        }
        arguments += ["--\(Option.store.name)", place.contains("://") ? place : Paths.join(folder, place)]
      }
      return arguments
    }

    /// The variables that the program passes on.
    private static func environment(of program: Program) -> [Member] {
      // Programs pass on few variables besides HOME and PATH. Keys are in the key file; without the other settings another service would answer.
      let settings = program.catalogue.sources.flatMap(\.settings).filter { setting in
        setting.kind != .secret && !(program.environment[setting.name] ?? "").contains("@")
      }
      let names =
        ["AGGREGATOR_SOURCES", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"]
        + Set(settings.map(\.name)).sorted()
      return names.compactMap { name in program.environment[name].map { Member(name: name, value: .text($0)) } }
    }

    /// The text as JSON and TOML have it.
    private func quoted(_ text: String) -> String { Value.text(text).prettyBytes.text.trimmingSpaces }
  }
}

extension [UInt8] {
  fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}
