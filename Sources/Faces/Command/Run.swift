public import AggregatorCore
import Logins
import Platform

/// The version of the command and of all its modules.
public let version = Program.version

/// Runs the command that the process was started with, over `sources`, and ends the process with its exit code.
///
/// ```swift
/// await AggregatorCommand.run(sources: [.countries, .ports], faces: [.browse, .serve])
/// ```
///
/// Lists, searches, formats, settings, help and exit codes come with it; a source adds one name to the list, and a ``Face`` its commands.
public func run(sources: [SourceDescriptor], faces: [Face] = [], name: String = "aggregator") async -> Never {
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
  program.commands = .all(with: faces)
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
  /// Returns all commands: those that every program has, and those of its faces.
  static func all(with faces: [Face]) -> CommandTable {
    CommandTable(own: own(faces.flatMap { $0.commands() }), verbs: SourceCommand.all, faces: faces)
  }

  /// Returns the commands that belong to no source, in the order of help.
  private static func own(_ ofFaces: [Command]) -> [Command] {
    [HelpCommand.bare, SearchAllCommand.command, ShowCommand.all, SyncAllCommand.command, AuditCommand.all, ChangesCommand.all]
      + ofFaces + [
        SingerCommand.command, ImportCommand.command, StatusCommand.command, SQLCommand.command, ExportCommand.command,
        SourcesCommand.command, StoredCommands.forgetNamed, DoctorCommand.command, CacheCommands.list, CacheCommands.clear,
        StoreCopyCommand.command, ConfigCommands.list, ConfigCommands.set, ConfigCommands.unset, LoginCommands.login,
        LoginCommands.logout, AliasCommands.set, AliasCommands.list, AliasCommands.delete, HelpCommand.command,
        CompletionCommands.script, CompletionCommands.candidates, HelpCommand.manual,
      ]
  }
}
