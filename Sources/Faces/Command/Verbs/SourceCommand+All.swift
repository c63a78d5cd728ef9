extension SourceCommand {
  /// The commands of all verbs, in the order of help.
  static let all: [SourceCommand] = [
    WalkCommand.list, WalkCommand.search, NextCommand.next, NextCommand.reset, SyncCommand.command, AuditCommand.command,
    ShowCommand.show,
    ImageCommand.command, ShowCommand.pick, CompareCommand.command, ChangesCommand.command, HistoryCommand.command,
    PartCommands.split,
    PartCommands.read,
    StoredCommands.delete, StoredCommands.restore, StoredCommands.why, StoredCommands.forget,
  ]
}
