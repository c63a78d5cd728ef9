import AggregatorCore
import Bodies
import Recordings
import Services

/// A service known only by one request, which is sent with other parameters up to a limit.
struct ProbedService: Sendable {
  /// The number of requests reserved for the first two pages of the new source.
  static let reserve = 2
  /// A failed request is sent once more.
  private static let patience = Patience(retries: 1)

  let request: NamedRequest
  /// The values of the keys, by the names of their settings.
  private let values: [String: String]
  let world: World
  private let client: Client
  private let path: String
  private let recording: Recording
  private let announce: @Sendable (Probe.Step) -> Void
  /// The most requests that may be sent. Those sent before a redirect are already subtracted.
  private let most: Int

  /// The service in `request`, asked with the transport and the clock of `world`. Each request is announced before it is sent.
  init(
    _ name: String, asking request: NamedRequest, in world: World, atMost most: Int,
    announcing announce: @escaping @Sendable (Probe.Step) -> Void
  ) throws {
    let settings = DraftSettings(name, request.keys)
    let base = WebAddress.base(of: [request.address])
    var address = Setting(settings.address, .address, "", default: base.description)
    // A person has agreed to an address without encryption by now.
    address.isInsecure = !base.isSafe
    var (declared, values, credentials) = ([address], [String: String](), [Credential]())
    for (key, name) in zip(request.keys, settings.keys) {
      let setting = Setting(name, .secret, "")
      declared.append(setting)
      values[name] = key.value?.reveal()
      credentials.append(
        key.carrier.credential(setting) { text in
          let user = Setting(settings.user, .text, "", default: text)
          declared.append(user)
          return user
        })
    }
    recording = Recording(of: name, into: "")
    var world = world
    world.patience = .none
    world.transport = world.transport.through([
      Recorder(recording, clock: world.clock), SafeAddresses(origin: request.address.origin),
    ])
    world.settings = Settings(declared: declared, environment: values)
    var terms = World.Terms()
    (terms.reach, terms.maxRequests) = (.live, most)
    world = world.on(terms)
    let headers = request.headers.map { HTTPRequest.Item($0.name, .plain($0.value)) }
    (self.request, self.world, self.values, self.announce, self.most) = (request, world, values, announce, most)
    path = String(request.address.path.dropFirst(base.path.count))
    client = try world.client(address, keys: credentials, headers: headers, budget: Budget([Budget.Rate(5, per: .seconds(1))]))
  }

  var left: Int { most - world.requests.count }

  /// The exchanges so far, without secrets.
  var exchanges: [Exchange] { recording.exchanges }

  /// Returns the same world for a source of `manifest`; a page that failed is asked for once more.
  func world(of manifest: Manifest) -> World {
    var world = world
    world.patience = Self.patience
    world.transport = world.transport.through([ReadableAnswers()])
    world.settings = Settings(declared: manifest.settings, environment: values)
    return world
  }

  /// Runs `work` and announces its requests with this purpose.
  func asking<Answer>(for purpose: String, _ work: () async throws -> Answer) async rethrows -> Answer {
    let (announce, requests, spent) = (announce, world.requests, Probe.most - most)
    let origin = request.address.origin.description
    let tell: @Sendable (Event) -> Void = { event in
      guard case .requestSent(let request) = event else { return }
      let shown = request.shownAddress
      let asked = shown.hasPrefix(origin) ? String(shown.dropFirst(origin.count)) : shown
      announce(Probe.Step(number: spent + requests.count, asked: "\(request.method.rawValue) \(asked)", purpose: purpose))
    }
    return try await Event.listening(tell, during: work)
  }

  /// Returns the page for the request with these changes. After a failure it asks once more if more than `reserve` requests are left.
  func ask(_ changes: [(Parameter, Value)], for purpose: String, keeping reserve: Int = 0) async throws -> TapedPage {
    do {
      return try await askOnce(changes, for: purpose)
    } catch let error as SourceError where error.isFailure && error.kind != .unreachable && left > reserve {
      let dice = world.dice
      guard let wait = Self.patience.wait(after: 1, retryAfter: error.retryAfter, dice: dice),
        Deadline.left.map({ wait < $0 }) ?? true
      else { throw error }
      Event.emit(.waiting(wait, because: error.reasonToWait))
      try await world.clock.sleep(for: wait)
      return try await askOnce(changes, for: purpose)
    }
  }

  private func askOnce(_ changes: [(Parameter, Value)], for purpose: String) async throws -> TapedPage {
    let asked = request.setting(changes)
    let (items, body) = (asked.address.queryItems, asked.body)
    var sent = client.request(request.method, path, isRepeatable: true)
    sent.headers += asked.headers.filter { !request.headers.contains($0) }.map { HTTPRequest.Item($0.name, .plain($0.value)) }
    sent.query += items.map { HTTPRequest.Item($0.name, .plain($0.value)) }
    if let body {
      sent.body = body.bytes
      sent.headers.append(HTTPRequest.Item("Content-Type", "application/json"))
    }
    sent.limits.bodyBytes = 16 << 20
    if let left = Deadline.left { sent.limits.total = min(left, sent.limits.total) }
    let response = try await asking(for: purpose) { [sent] in try await client.send(sent) }
    if !response.isPartOfRows, let trouble = client.trouble(in: response) { throw trouble }
    let recorded = TapedRequest(asked.method.rawValue, asked.address, headers: asked.headers, body: body?.bytes)
    let exchange = Exchange(recorded, response, startedAt: world.clock.now)
    if let page = TapedPage(exchange) { return page }
    let kind = BodyKind(of: response.body, type: response[header: "Content-Type"])
    if let kind, kind != .json { _ = try BodyFormat(kind).document(response.body, type: response[header: "Content-Type"]) }
    if response.body.isDescription { _ = try YAMLDocument.value(of: response.body) }
    throw try response.json().mismatch("a document")
  }
}

/// Refuses unencrypted addresses, also after a redirect, because somebody on the way could change the
/// answer. `origin` is allowed: a person agreed to it.
private struct SafeAddresses: Middleware {
  let origin: WebAddress.Origin

  func send(_ request: HTTPRequest, through next: any Transport) async throws -> HTTPResponse {
    guard request.address.isSafe || request.address.origin == origin else {
      throw SourceError(.settings, "\(request.address.origin) is not encrypted", remedy: "use an https address")
    }
    return try await next.send(request)
  }
}

/// Treats an answer that cannot be read as a failure, so that it is asked for again: a web page says nothing about a list.
private struct ReadableAnswers: Middleware {
  func send(_ request: HTTPRequest, through next: any Transport) async throws -> HTTPResponse {
    let response = try await next.send(request)
    guard (200..<300).contains(response.status), !response.body.isEmpty,
      BodyKind(of: response.body, type: response[header: "Content-Type"]) == nil
    else { return response }
    throw SourceError(.truncated, "the response cannot be read")
  }
}

extension SourceError {
  /// True when the service did not answer the question, so that its answer is unknown. A refusal is an answer.
  var isFailure: Bool { kind.isTransient || kind == .malformed || kind == .unreachable || kind == .noTransport }
}
