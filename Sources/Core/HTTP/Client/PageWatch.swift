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
    tag = value("ETag").flatMap { Self.isTag($0) ? $0 : nil }
    // A time is in whole seconds. What changed a moment ago may change again within that second.
    if let text = value("Last-Modified"), let changed = HTTPDate.moment(text),
      let now = value("Date").flatMap({ HTTPDate.moment($0) }), now - changed >= .seconds(60)
    {
      modified = text
    }
    if tag == nil, modified == nil { return nil }
  }

  /// True for one tag in quotes, weak or strong.
  private static func isTag(_ text: String) -> Bool {
    let tag = text.hasPrefix("W/") ? text.dropFirst(2) : text[...]
    return tag.utf8.count > 2 && tag.hasPrefix("\"") && tag.hasSuffix("\"") && !tag.dropFirst().dropLast().contains("\"")
  }

  init(tag: String?, modified: String?) { (self.tag, self.modified) = (tag, modified) }
}

/// Watches the requests for one page, so that the service is asked only whether the page has changed.
///
/// It serves a page of one request alone. Of a page that takes several, an unchanged answer to one would say nothing about the others.
final class PageWatch: Sendable {
  @TaskLocal static var current: PageWatch?

  private struct State {
    /// The request for the page; nil before it is sent.
    var request: String?
    var isOnly = true
    var isUnchanged = false
    var validators: Validators?
    var hasCountedLink = true

    var answer: Answer? { request.flatMap { name in validators.map { Answer(request: name, validators: $0) } } }
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
  var answer: Answer? { state.withLock { $0.isOnly ? $0.answer : nil } }

  /// False when a `Link` header names a next page that is not the one with the next number. Its address may be one of a copy of the list.
  var hasCountedLink: Bool { state.withLock(\.hasCountedLink) }

  private static func hasCountedLink(_ response: HTTPResponse, to request: HTTPRequest) -> Bool {
    guard let next = response.link("next") else { return true }
    guard let link = request.wireAddress.resolving(next) else { return false }
    let old = request.wireAddress.items.map(\.decoded)
    // The key may be left out of the link.
    let changed = link.items.map(\.decoded).filter { item in
      !old.contains { $0.name == item.name && $0.value == item.value }
    }
    let name = changed.first?.name.lowercased() ?? ""
    guard changed.count == 1, name == "p" || name.hasPrefix("page"), let number = Int(changed[0].value) else { return false }
    guard let before = old.first(where: { $0.name == changed[0].name }).map({ Int($0.value) ?? .max }) else {
      return number == 1 || number == 2
    }
    return number > 0 && number - 1 == before
  }

  /// The answer of which the service said that it has not changed.
  var confirmed: Answer? { state.withLock { $0.isUnchanged ? $0.answer : nil } }

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
    state.withLock { state in
      state.validators = response.status == 200 ? Validators(of: response) : nil
      state.hasCountedLink = Self.hasCountedLink(response, to: request)
    }
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
