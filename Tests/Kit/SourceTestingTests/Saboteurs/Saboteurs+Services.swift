import AggregatorCore
import Ports
import SourceTesting

extension Saboteurs {
  /// Saboteurs that mishandle one answer or failure of a service.
  static var ofServices: [Saboteur] {
    [
      answering("hears seconds as nothing", .throttledSeconds, .patience) { response in
        if response.status == 429, let wait = response.wait, (1...30).contains(wait) { response.headers = [] }
      },
      answering("cannot read a date", .throttledUntilDate, .patience) { response in
        if response.status == 429, response.wait == nil { response.headers = [] }
      },
      answering("takes no wait for a long one", .throttledZero, .nothingLost) { response in
        if response.wait == 0 { response.headers = [.init("Retry-After", "999999")] }
      },
      answering("comes back within the day", .throttledForLong, .patience) { response in
        if let wait = response.wait, wait > 30 { response.headers = [] }
      },
      failing("sends again at once", .failsOnce, .patience, bare: true) { source, error in
        guard error.kind == .unavailable, error.attempts == 1 else { return .fail(error) }
        return .again
      },
      failing("does not send a lost request again", .resetOnce, .nothingLost, bare: true) { _, error in
        error.kind == .interrupted ? .fail(SourceError(.unreachable, "the connection was lost")) : .fail(error)
      },
      failing("takes a failure for nonsense", .failsForever, .errors) { _, error in
        error.kind == .unavailable ? .fail(SourceError(.malformed, "the service failed")) : .fail(error)
      },
      failing("says that a list is no such record", .gone, .errors) { _, error in
        error.kind == .noSuchAddress ? .fail(SourceError(.notFound, "there is no such list")) : .fail(error)
      },
      Saboteur(
        "takes an error half-way for the end", breaks: .hazards([.failsHalfWay, .onePageFails], .nothingLost), in: PortsFixtures.addressed,
        catching: { error, source, request in
          guard error.kind == .unavailable, request.cursor != nil else { throw error }
          return Page(of: source, [], next: .end)
        }),
      answering("does not hear what an answer says of itself", .incompleteAnswer, .verdict) { response in
        guard let text = String(validating: response.body, as: UTF8.self) else { return }
        response.body = Array(text.replacing("incomplete_results", with: "odd").utf8)
      },
      Saboteur(
        "takes a page without a next one for the last", breaks: .hazards([.sizeBoundsList], .nothingLost), spoiling: PortsFixtures.addressed
      ) { page, _, _ in if page.next == .end { page.more = false } },
      Saboteur(
        "takes silence for nonsense", breaks: .hazards([.timesOut, .slowDrip], .errors), in: PortsFixtures.offset,
        catching: { error, _, _ in throw error.kind == .timedOut ? SourceError(.malformed, "nothing came") : error }),
      failing("knocks twice on a closed door", .unreachable, .patience, bare: true) { _, error in
        error.kind == .unreachable && error.attempts == 1 ? .again : .fail(error)
      },
      failing("takes half an answer for none", .bodyCutShort, .emptyIsNotFailed, also: .bodyWithoutEnd) { _, error in
        error.kind == .truncated && !error.message.contains("206") ? .nothing : .fail(error)
      },
      answering("takes the end of a connection for that of the list", .bodyWithoutEnd, .emptyIsNotFailed) { response in
        if !response.isEndShown { response = .nothing }
      },
      answering("puts question marks in place of letters", .anotherEncoding, .errors) { response in
        response.body = Array(String(decoding: response.body, as: UTF8.self).utf8)
      },
      answering("takes a part for the whole", .partOfBody, .errors) { response in
        if response.status == 206 { response.status = 200 }
      },
      answering("takes a web page for none", .html, .emptyIsNotFailed) { response in
        if response.body.first == UInt8(ascii: "<"), response.status == 200 { response = .nothing }
      },
      answering("takes another shape for none", .wrongShape, .emptyIsNotFailed) { response in
        if (try? response.json())?["ports"]?.kind == .object { response = .nothing }
      },
      answering("takes an error for none", .errorInside, .emptyIsNotFailed) { response in
        if response.status == 200, (try? response.json())?["error"] != nil { response = .nothing }
      },
      answering("takes nothing for none", .emptyObject, .emptyIsNotFailed) { response in
        if response.body == Array("{}".utf8) { response = .nothing }
      },
      answering("takes 304 for an empty page", .nothingChanged, .emptyIsNotFailed) { response in
        if response.status == 304 { response = .nothing }
      },
      answering("stumbles over a byte-order mark", .byteOrderMark, .nothingLost) { response in
        if response.body.first == 0xEF { response.body = Array("?".utf8) }
      },
      failing("takes too much for none", .enormousBody, .emptyIsNotFailed) { _, error in
        error.message.contains("larger than") ? .nothing : .fail(error)
      },
      failing("blames the request for the key", .refusedKey, .errors) { _, error in
        error.kind == .refusedKey ? .fail(SourceError(.badRequest, "the service does not want this")) : .fail(error)
      },
      failing("lets others stand in for its own mistake", .badRequest, .fallback) { _, error in
        error.kind == .badRequest ? .fail(SourceError(.malformed, "the service does not want this")) : .fail(error)
      },
      unmarked,
    ]
  }

  /// Sends its key without marking it, in a header, so that a redirect takes it along.
  private static var unmarked: Saboteur {
    Saboteur("does not mark its key", breaks: .hazards([.redirectElsewhere], .secrets), in: PortsFixtures.offset) { source, request in
      var get = try source.asking(source.client, request)
      get.query.removeAll { if case .secret = $0.value { true } else { false } }
      get.headers.append(.init("X-Key", .plain(source.key.reveal())))
      return try await source.page(source.client.send(get), from: source.client)
    }
  }

  /// An offset source that reads an answer after `mend` has changed it, with no middleware around its requests.
  private static func answering(
    _ name: String, _ hazard: Hazard, _ law: Law, mending mend: @escaping @Sendable (inout HTTPResponse) -> Void
  ) -> Saboteur {
    Saboteur(name, breaks: .hazards([hazard], law), in: PortsFixtures.offset) { source, request in
      var response = try await source.bare.send(source.asking(source.bare, request))
      mend(&response)
      return try source.page(response, from: source.bare)
    }
  }

  /// The reaction of a saboteur to an error on its first page.
  private enum Reaction: Sendable {
    case fail(SourceError)
    case again
    case nothing
  }

  private static func failing(
    _ name: String, _ hazard: Hazard, _ law: Law, also other: Hazard? = nil, bare: Bool = false,
    reacting react: @escaping @Sendable (PortsSource, SourceError) -> Reaction
  ) -> Saboteur {
    Saboteur(name, breaks: .hazards(Set([hazard, other].compactMap(\.self)), law), in: PortsFixtures.offset) { source, request in
      let place = try request.place(in: source)
      let client = bare ? source.bare : source.client
      let get = try source.asking(client, request)
      for attempt in 1... {
        do {
          return try await source.page(client.send(get), from: client)
        } catch var error as SourceError where place.number == 0 {
          // An error that may pass is first asked again for, as patience allows.
          if !bare, [.unavailable, .truncated].contains(error.kind), Attempts.current?.count ?? 0 <= Patience.usual.retries { throw error }
          if bare { error.attempts = attempt }
          switch react(source, error) {
          case .again: continue
          case .nothing: return Page(of: source, [], total: 0)
          case .fail(let failure):
            // After its own tries it is not asked again.
            if bare, attempt > 1 { Attempts.current?.allowNoMore() }
            throw failure
          }
        }
      }
      return Page(of: source, [])
    }
  }
}

extension HTTPResponse {
  fileprivate static var nothing: HTTPResponse { .json(#"{"ports":[],"total":0}"#) }

  /// The seconds in the answer's Retry-After; nil without a number.
  fileprivate var wait: Int? { self[header: "Retry-After"].flatMap { Int($0) } }
}
