import Synchronization

/// The marks by which a service tells whether an answer has changed.
struct Validators: Sendable, Hashable {
  /// The value of `ETag`, quotes included.
  var tag: String?
  /// The value of `Last-Modified`.
  var modified: String?

  /// The marks of an answer; nil if it has none that can be used.
  init?(of response: HTTPResponse) {
    func value(_ name: String) -> String? {
      guard let value = response[header: name], value.utf8.count <= 1_024, value.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) else {
        return nil
      }
      return value.contains(Secret.mask) || value.isEmpty ? nil : value
    }
    tag = value("ETag")
    // A time is in whole seconds. What changed a moment ago may change again within that second.
    if let text = value("Last-Modified"), let changed = HTTPDate.moment(text),
      let now = value("Date").flatMap({ HTTPDate.moment($0) }), now - changed >= .seconds(60)
    {
      modified = text
    }
    if tag == nil, modified == nil { return nil }
  }

  init(tag: String?, modified: String?) { (self.tag, self.modified) = (tag, modified) }
}

/// Watches the requests for one page, so that the service is asked only whether the page has changed.
///
/// It serves a page of one request alone. Of a page that takes several, an unchanged answer to one would say nothing about the others.
final class PageWatch: Sendable {
  /// The watch of this task; nil without one.
  @TaskLocal static var current: PageWatch?

  private struct State {
    /// The request for the page; nil before it is sent.
    var request: String?
    var isOnly = true
    var isUnchanged = false
    var validators: Validators?
  }

  private let state = Mutex(State())
  /// Returns the marks of the page that an earlier request of that name brought; nil if none is remembered.
  private let remembered: @Sendable (String) async -> Validators?

  init(remembering remembered: @escaping @Sendable (String) async -> Validators?) { self.remembered = remembered }

  /// The request that brought the page, and the marks of its answer.
  struct Answer: Sendable, Hashable {
    /// The name of the request.
    var request: String
    var validators: Validators
  }

  /// The answer that brought the page; nil if it cannot be asked for again in this way.
  var answer: Answer? {
    state.withLock { state in
      guard state.isOnly, let request = state.request, let validators = state.validators else { return nil }
      return Answer(request: request, validators: validators)
    }
  }

  /// The answer of which the service said that it has not changed.
  var confirmed: Answer? {
    state.withLock { state in
      guard state.isUnchanged, let request = state.request, let validators = state.validators else { return nil }
      return Answer(request: request, validators: validators)
    }
  }

  /// The request to which the service said that nothing has changed; nil if it did not.
  var unchanged: String? { state.withLock { $0.isUnchanged ? $0.request : nil } }

  fileprivate func send(_ request: HTTPRequest, through next: any Transport) async throws -> HTTPResponse {
    let name = Self.name(of: request)
    let isFirst = state.withLock { state in
      if state.request != nil, state.request != name { state.isOnly = false }
      state.request = state.request ?? name
      return state.isOnly
    }
    guard isFirst, request.method == .get, !request.hasConditions else {
      state.withLock { $0.isOnly = false }
      return try await next.send(request)
    }
    let known = await remembered(name)
    let response = try await next.send(known.map { request.asking(whether: $0) } ?? request)
    if let known, response.status == 304 {
      state.withLock { ($0.isUnchanged, $0.validators) = (true, known) }
      throw PageIsUnchanged()
    }
    state.withLock { $0.validators = response.status == 200 ? Validators(of: response) : nil }
    return response
  }

  /// A text that no other request has; it holds no key.
  private static func name(of request: HTTPRequest) -> String {
    var print = Fingerprint()
    print.combine("\(request)")
    for header in request.headers {
      print.combine(header.name)
      if case .plain(let text) = header.value { print.combine(text) }
    }
    return String(print.value, radix: 36)
  }
}

/// The end of a request for a page that has not changed. The source need not read anything, and the page is the remembered one.
struct PageIsUnchanged: Error {}

extension HTTPRequest {
  fileprivate var hasConditions: Bool { headers.contains { $0.name.lowercased().hasPrefix("if-") } }

  fileprivate func asking(whether validators: Validators) -> HTTPRequest {
    copy(of: self) { request in
      if let tag = validators.tag {
        request.headers.append(Item("If-None-Match", .plain(tag)))
      } else if let modified = validators.modified {
        request.headers.append(Item("If-Modified-Since", .plain(modified)))
      }
    }
  }
}

/// Lets the watch of this task, if it has one, see the requests of a client.
struct WatchMiddleware: Middleware {
  func send(_ request: HTTPRequest, through next: any Transport) async throws -> HTTPResponse {
    guard let watch = PageWatch.current else { return try await next.send(request) }
    return try await watch.send(request, through: next)
  }
}
