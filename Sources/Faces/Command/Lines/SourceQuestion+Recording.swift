import AggregatorCore
import Recordings

extension Invocation {
  /// Returns this command line in the world of the recordings that it names: with their answers
  /// and their time, and without the need of keys. Returns it unchanged if it names none.
  package func replaying() throws -> Invocation {
    guard let folder = value(.replay), !(program.transport is Replay) else { return self }
    let replay = Replay(
      try Fixture.load(folder: folder, in: program.workingDirectory, remedy: "replace --replay with --record to record it"))
    var invocation = self
    invocation.program.transport = replay
    invocation.settings = nil
    invocation.program.clock = replay.clock
    for key in program.catalogue.settings where key.isSecret { invocation.program.environment[key.name] = Scrubber.placeholder }
    return invocation
  }
}

extension [SourceQuestion] {
  /// Runs `work` and adds what was recorded to the file of each question, also when `work`
  /// fails. If a file cannot be written, `undo` gets the answer, which will not be printed.
  func recorded<Answer>(
    undoing undo: (Answer) async throws -> Void = { _ in }, _ work: () async throws -> Answer
  ) async throws -> Answer {
    let result = await Result { try await work() }
    let problems = finish()
    // The first error ends the command.
    guard case .success(let answer) = result, let first = problems.first else {
      tellProblems(problems)
      return try result.get()
    }
    tellProblems(problems.dropFirst())
    try await undo(answer)
    throw first
  }

  private func finish() -> [any Error] {
    reversed().compactMap { question in
      do {
        guard let recording = question.recording else { return nil }
        let added = try recording.finish()
        if added > 0 {
          question.notice("added \(plural(added, "answer")) to \(recording.path)")
        } else if count == 1 {
          question.notice("nothing was recorded, since no request was sent")
        }
        return nil
      } catch {
        return error
      }
    }
  }

  private func tellProblems(_ problems: some Sequence<any Error>) {
    for problem in problems { first?.invocation.tell("\(problem)") }
  }
}
