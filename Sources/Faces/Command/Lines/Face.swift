package import AggregatorCore

/// A part that a command takes or leaves: its commands, and what help and settings say of it.
///
/// ```swift
/// import ServeFace
///
/// await AggregatorCommand.run(sources: [.ports], faces: [.serve])
/// ```
///
/// Each face is a module of its own, so that a program links what it takes.
public struct Face: Sendable {
  /// The commands, in the order of help.
  let commands: @Sendable () -> [Command]
  /// The line of the overview for all commands that begin with the same word, by that word.
  let groups: [String: String]
  /// The settings that belong to no source.
  let settings: [Setting]
  /// The help of words beside the commands, as `help WORD` prints it: the paragraphs, given the name of the program.
  let topics: [String: @Sendable (_ program: String) -> [String]]

  package init(
    groups: [String: String] = [:], settings: [Setting] = [], topics: [String: @Sendable (String) -> [String]] = [:],
    commands: @autoclosure @escaping @Sendable () -> [Command]
  ) {
    (self.groups, self.settings, self.topics, self.commands) = (groups, settings, topics, commands)
  }
}
