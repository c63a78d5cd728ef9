package import AggregatorCore
import Platform

// The questions that a program is asked once, when it is made a source.
extension ProgramCall {
  /// The greatest number of bytes that a program may say of itself.
  private static let most = 32 << 20

  /// Returns what the program prints when it is started with these words. Throws if it does not end well.
  package func output(of words: [String]) async throws -> [UInt8] {
    let run = try start(words)
    return try await SystemThread.blocking {
      var bytes: [UInt8] = []
      while let line = try run.line(isOver: false) {
        bytes += line + [Byte.newline]
        guard bytes.count <= Self.most else {
          throw SourceError(.malformed, "the program printed more than \(Self.most >> 20) MB about itself")
        }
      }
      if let failure = try run.failure() { throw failure }
      return bytes
    } onCancel: {
      run.stop()
    }
  }

  /// Returns the lines that the program prints for its list.
  package func lines() async throws -> [[UInt8]] {
    let talk = try talk(.everything, after: ProgramPlace()) { _ in nil }
    return try await SystemThread.blocking {
      var (lines, count) = ([[UInt8]](), 0)
      while let line = try talk.line(), count <= Self.most {
        lines.append(line)
        count += line.count
      }
      return lines
    } onCancel: {
      talk.stop()
    }
  }

  /// Returns the first rows that the program prints for its list.
  package func sample() async throws -> [Value] {
    let talk = try talk(.everything, after: ProgramPlace()) { _ in nil }
    defer { talk.stop() }
    return try await SystemThread.blocking {
      try talk.part(of: SourceProgram.pageSize).rows.map(\.value)
    } onCancel: {
      talk.stop()
    }
  }
}
