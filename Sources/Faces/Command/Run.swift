public import AggregatorCore
import Logins
import Platform

/// The version of the command and of all its modules.
public let version = Program.version

/// Runs the command that the process was started with, over `sources`, and ends the process with its exit code.
///
/// ```swift
/// await AggregatorCommand.run(sources: [.countries, .ports])
/// ```
///
/// Lists, searches, formats, settings, help and exit codes come with it; a source adds one name to the list.
public func run(sources: [SourceDescriptor], name: String = "aggregator") async -> Never {
  Interruption.install()
  var program = Program.ofProcess()
  program.name = name
  // Before any thread begins: with fewer descriptors the runtime ends the process without a word.
  guard Descriptor.allow(atLeast: 32) else {
    let failure = Failure(
      SourceError(.settings, "too few files may be open at once", remedy: "type ulimit -n 256"), program: name)
    program.console.tell(failure, of: name)
    _exit(failure.code.rawValue)
  }
  // Programs that run taps start one executable, without a word before the options.
  if CommandLine.arguments.first?.split(separator: "/").last == "tap-\(name)" { program.arguments.insert("singer", at: 0) }
  program.commands = .all
  let code = await program.run(over: sources)
  if UnfinishedRenewals.areThere {
    program.console.note("\(name): waiting for the token of a login; without its answer the login may be lost")
    await UnfinishedRenewals.end(within: .seconds(30), by: SystemTime())
  }
  ChildGroups.endAll()
  // Everything is written. `exit` would run clean-up code of libraries, which crashes if another thread is still opening one of them.
  _exit(code.rawValue)
}

extension CommandTable {
  /// All commands.
  static let all = CommandTable(own: own, verbs: SourceCommand.all)

  /// The commands that belong to no source, in the order of help.
  private static let own: [Command] = [
    HelpCommand.bare, SearchAllCommand.command, ShowCommand.all, SyncAllCommand.command, AuditCommand.all, ChangesCommand.all,
    BrowseCommand.command, ServeCommand.command, MCPCommand.command, SingerCommand.command, ImportCommand.command,
    StatusCommand.command,
    SQLCommand.command,
    ExportCommand.command,
    SourcesCommand.command, AddCommand.command, RemoveCommand.command,
    StoredCommands.forgetNamed, DoctorCommand.command, ManifestCommands.show, ManifestCommands.check, ManifestCommands.attempt,
    ManifestCommands.allow, SourceEditCommand.command, ShapeCommand.accept, SourceVerifyCommand.command,
    SourceNewCommand.command,
    CacheCommands.list, CacheCommands.clear, StoreCopyCommand.command, ConfigCommands.list,
    ConfigCommands.set, ConfigCommands.unset, LoginCommands.login, LoginCommands.logout, AliasCommands.set, AliasCommands.list,
    AliasCommands.delete, HelpCommand.command,
    CompletionCommands.script, CompletionCommands.candidates,
    HelpCommand.manual,
  ]
}
