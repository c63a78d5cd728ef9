import AggregatorCore
import Inference
import SourceVerification

extension Invocation {
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

extension [SourceQuestion] {
  /// Runs `work` and adds what was recorded in it to the file of each question; what came before an error or Ctrl-C too. Where that cannot
  /// be done `undo` gets the answer that will not be shown.
  func recorded<Answer>(
    undoing undo: (Answer) async throws -> Void = { _ in }, _ work: () async throws -> Answer
  ) async throws -> Answer {
    guard contains(where: { $0.recording != nil }) else { return try await work() }
    return try await Interruption.keeping({ tellProblems(finish()) }) {
      let answer: Answer
      do {
        answer = try await work()
      } catch {
        // The first thing that went wrong is what ends the command.
        tellProblems(finish())
        throw error
      }
      let problems = finish()
      tellProblems(problems.dropFirst())
      if let first = problems.first {
        try await undo(answer)
        throw first
      }
      return answer
    }
  }

  private func finish() -> [any Error] {
    reversed().compactMap { question in
      do {
        guard let recording = question.recording else { return nil }
        let count = try recording.finish()
        if count > 0 { question.notice("added \(plural(count, "answer")) to \(recording.path)") }
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
