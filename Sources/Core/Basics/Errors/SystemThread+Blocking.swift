package import Platform

extension SystemThread {
  /// Runs work that blocks on a thread of its own. `cancel` makes it end early.
  package static func blocking<Answer: Sendable>(
    _ work: @escaping @Sendable () throws -> Answer, onCancel cancel: @escaping @Sendable () -> Void = {}
  ) async throws -> Answer {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isRunning = start { continuation.resume(with: Result { try work() }) }
        if !isRunning { continuation.resume(throwing: SourceError(.noTransport, "no thread is left")) }
      }
    } onCancel: {
      cancel()
    }
  }
}
