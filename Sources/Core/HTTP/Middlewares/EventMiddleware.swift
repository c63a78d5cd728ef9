/// Tells of every request that really goes out, and of what came back.
public struct EventMiddleware: Middleware {
  let clock: any Timekeeper

  public init(clock: any Timekeeper = SystemTime()) { self.clock = clock }

  public func send(_ request: HTTPRequest, through next: any Transport) async throws -> HTTPResponse {
    Event.emit(.requestSent(request))
    let start = clock.now
    do {
      let response = try await next.send(request)
      Event.emit(.responseReceived(request, response, took: clock.now - start))
      return response
    } catch let error as SourceError {
      Event.emit(.requestFailed(request, error, took: clock.now - start))
      throw error
    }
  }
}
