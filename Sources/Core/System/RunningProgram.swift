import Synchronization

/// What the program that runs is called, for messages that say what to type.
///
/// A remedy is written where an error is made, by a source or by Core, far from the command that prints it. A process is one
/// program, so the name is the process's own: `AggregatorCommand.run` says it once, before anything else.
///
/// ```swift
/// throw SourceError(.missingKey, "no key is set", remedy: "'\(RunningProgram.name) config set PORTS_KEY' sets one")
/// ```
public enum RunningProgram {
  private static let known = Mutex("aggregator")

  /// `aggregator`, unless the command was given a name of its own.
  public static var name: String { known.withLock { $0 } }

  package static func isCalled(_ name: String) { known.withLock { $0 = name } }
}
