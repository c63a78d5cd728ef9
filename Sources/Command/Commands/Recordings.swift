import AggregatorCore
import SourceVerification

extension Option {
  static let record = Option(
    "record", takes: .required(.folder), about: .origin, "record requests and answers in DIR/SOURCE.har, without secrets")
  static let replay = Option("replay", takes: .required(.folder), about: .origin, "answer only from the recordings (.har) in DIR")

  /// What concerns recordings, in every command that asks a source.
  static let recordings: [Option] = [.record, .replay]
}

extension Invocation {
  /// Refuses what cannot be had together.
  func refuseMixedRecordings() throws(UsageError) {
    try refuse(.record, with: .replay)
    try refuse(.offline, with: .record)
    try refuse(.offline, with: .replay)
    try refuse(.live, with: .replay)
  }

  /// This command line in the world of the recordings that it names, if it names any: their answers, their time, and no need of keys.
  func replaying() throws -> Invocation {
    guard let folder = value(.replay), !(program.transport is Replay) else { return self }
    let replay = Replay(try Fixture.load(folder: folder, in: program.workingDirectory, remedy: .record))
    var invocation = self
    invocation.program.transport = replay
    invocation.settings = nil
    invocation.program.clock = replay.clock
    for key in program.catalogue.settings where key.isSecret { invocation.program.environment[key.name] = Scrubber.placeholder }
    return invocation
  }
}

extension SourceQuestion {
  /// Runs `work` and adds what was recorded in it to its file; what came before an error or Ctrl-C too. Where that cannot be done
  /// `undo` gets the answer that will not be shown.
  func recorded<Answer>(
    undoing undo: (Answer) async throws -> Void = { _ in }, _ work: () async throws -> Answer
  ) async throws -> Answer {
    guard let recording else { return try await work() }
    return try await Interruption.keeping({ finishOrTell(recording) }) {
      let answer: Answer
      do {
        answer = try await work()
      } catch {
        // The first thing that went wrong is what ends the command.
        finishOrTell(recording)
        throw error
      }
      do {
        try finish(recording)
      } catch {
        try await undo(answer)
        throw error
      }
      return answer
    }
  }

  private func finishOrTell(_ recording: Recording) {
    do { try finish(recording) } catch { program.notices(invocation).tell("\(error)") }
  }

  private func finish(_ recording: Recording) throws {
    let count = try recording.finish()
    if count > 0 { notice("added \(self.count(count, "answer")) to \(recording.path)") }
  }
}
