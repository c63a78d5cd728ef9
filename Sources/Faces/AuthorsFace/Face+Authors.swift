public import AggregatorCommand

extension Face {
  /// `add`, `remove` and `source`: sources are described, looked at, changed and tested.
  public static let authors = Face(
    groups: ["source": "show, check, try, edit or package one source"],
    commands: [
      AddCommand.command, RemoveCommand.command, ManifestCommands.show, ManifestCommands.check, ManifestCommands.attempt,
      ManifestCommands.allow, SourceEditCommand.command, ShapeCommand.accept, SourceVerifyCommand.command,
      SourceNewCommand.command,
    ])
}
