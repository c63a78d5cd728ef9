public import AggregatorCore

/// Notes every request and what came of it.
///
/// It belongs right around the transport, inside of everything else: so each attempt is recorded, the 429 as well as the 200.
///
/// ```swift
/// let recording = Recording(of: "heroes", into: "Fixtures")
/// world.transport = world.transport.through([Recorder(recording)])
/// // … ask …
/// try recording.finish()
/// ```
public struct Recorder: Middleware {
  private let recording: Recording
  private let clock: any Timekeeper

  public init(_ recording: Recording, clock: any Timekeeper = SystemTime()) {
    self.recording = recording
    self.clock = clock
  }

  public func send(_ request: HTTPRequest, through next: any Transport) async throws -> HTTPResponse {
    let number = recording.begin(request)
    let start = clock.now
    let sent = RecordedRequest(
      request.method.rawValue, request.wireAddress, headers: request.wireHeaders.map { .init($0.name, $0.value) }, body: request.body)
    do {
      let response = try await next.send(request)
      recording.end(number, with: Exchange(sent, response, startedAt: start, took: clock.now - start))
      return response
    } catch let error as SourceError {
      recording.end(number, with: Exchange(sent, failing: error, startedAt: start, took: clock.now - start))
      throw error
    }
  }
}
