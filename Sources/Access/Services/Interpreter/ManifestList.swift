package import AggregatorCore
import Bodies

/// A list of a service, with its requests, rows and pages as a manifest describes them.
struct ManifestList: DataSource {
  var profile: Profile
  let schema: Schema<LooseRecord>
  let service: ManifestService
  let template: ManifestRequest
  let paging: ManifestPaging
  /// The paging in the terms of AggregatorCore.
  let pages: Paging
  /// The format of its answers.
  let format: BodyFormat
  let rows: ManifestSource.RowLocation
  /// The members of an answer whose statements about it are not heard, with the one by which the list pages.
  let ignored: Set<ValuePath>
  let reader: ManifestRowReader
  /// The values for its templates besides those of the page: a search text, or the fields of a parent.
  var values: [String: Value] = [:]

  func page(_ request: PageRequest) async throws -> Page<LooseRecord> {
    let place = try request.place(in: self)
    let sent = try service.request(
      template, values(at: place, of: request), followingLink: paging.way.kind == .link ? place.token : nil)
    let start = paging.way.countsRows ? place.number : nil
    guard let answer = try await service.answer(to: sent, as: format, after: start, ofRange: paging.way.kind == .range) else {
      // The page before named this one, or said that there is more.
      guard request.cursor == nil || paging.end.isMetByNothing else {
        throw SourceError(.noSuchAddress, "the service has nothing where the page before named another")
      }
      return Page(of: self, [], next: .end)
    }
    if let start, let first = answer.response.rowRange?.first { try refuse(rowsFrom: first, askedFor: start) }
    let found = answer.hasNoRows ? [] : try rows(in: answer.body)
    if found.isEmpty, answer.response.status == 202 {
      throw SourceError(.unavailable, "the service has taken the request, and its answer is not ready yet (HTTP 202)")
    }
    var page = try self.page(of: found, in: answer)
    if request.cursor == nil { reader.countUnknownMembers(of: found, into: &page.shape) }
    let total = try paging.total?.number(in: answer, isNeeded: paging.end == .total && request.cursor == nil)
    page.total = total
    if found.isEmpty, !answer.hasNoRows, page.total != 0 { try refuseOtherAnswer(answer.body) }
    page.more = try more(in: answer, at: place, rows: found.count)
    page.next = try next(after: found, isRead: !page.items.isEmpty, in: answer, to: sent)
    // If a named page is what tells the end, it is followed up to an empty one, whatever else the answer says. If `more` tells the end, a
    // token may be only a place.
    if paging.way.isNamed, paging.end == .next, page.more == false, page.received > 0, page.next != .end { page.more = nil }
    page.noteMore(in: answer.response, followingLink: paging.way.kind == .link && paging.way.next == nil)
    page.basis = basis(of: page, in: answer.response)
    let isWithoutReason = paging.end == .never || paging.end == .total && page.total == nil
    // On a later page a number that counts nothing puts in doubt what the pages before announced.
    let isUncounted = request.cursor != nil && total.map { $0 < 0 } ?? false
    if paging.way.kind == .whole && isWithoutReason || isUncounted { page.limit(to: .unverifiable) }
    page.hear(Caveat.all(in: answer.body, besides: rows.path), ignoring: ignored)
    // Lines have nothing around them, so an answer says there in a line of its own that rows are missing.
    for row in page.faults.lazy.filter(\.isKeyless).compactMap(\.row) where found[row].kind == .object {
      page.hear(Caveat.all(in: found[row]), ignoring: ignored)
    }
    noteCut(in: answer.response, &page)
    return page
  }

  /// Returns a page of the rows that were found, without what is said of it.
  private func page(of found: [JSON], in answer: ManifestAnswer) throws -> Page<LooseRecord> {
    var page = try Page(of: self, rows: found, ignoring: nil) { try reader.record($0, values) }
    for index in page.faults.indices {
      guard let row = page.faults[index].row else { continue }
      page.faults[index].isKeyless = reader.lacksKey(found[row])
      // A service that fails after its first rows can only say so in place of a row.
      if page.faults[index].isKeyless, let error = found[row].toldError { page.limit(to: .partial(.said(error.message))) }
      if format.kind == .ndjson, row == found.count - 1, let broken = answer.broken[row] {
        page.limit(to: .partial(.said("the last line of the answer cannot be read as a row (\(broken.reason))")))
      }
      guard let broken = answer.broken[row], rows.path.steps.isEmpty else { continue }
      page.faults[index].digest = broken.digest
      if page.faults[index].reason != nil { page.faults[index].reason = broken.reason }
    }
    return page
  }

  /// Limits the verdict on rows that are lines, if nothing showed the end of their body. A total shows that rows are missing, but not that the
  /// last value is cut.
  private func noteCut(in response: HTTPResponse, _ page: inout Page<LooseRecord>) {
    guard format.kind.isOfLines, !response.isEndShown else { return }
    guard page.total == nil || response.body.last?.isLineBreak != true, page.standing == nil else { return }
    page.limit(to: .unverifiable)
    page.notices.append("the answer ended with its connection, so that rows may be missing")
  }

  /// Throws if an answer in XML without rows has something else in their place. Without rows their element is missing, and so may be those
  /// around it, so that an answer of another kind would be an empty list.
  private func refuseOtherAnswer(_ body: JSON) throws {
    guard format.kind == .xml, !rows.mayBeMissing, paging.end != .never else { return }
    let place = rows.path.steps.indices.last {
      ValuePath(steps: Array(rows.path.steps[..<$0])).value(in: body)?.kind == .object
    }
    guard let place, let around = ValuePath(steps: Array(rows.path.steps[..<place])).value(in: body),
      case .member(let name) = rows.path.steps[place]
    else { return }
    // A mark may count the rows or name the page; only one that tells of an error is another answer.
    let errors = ["error", "err", "fault", "message", "errormessage", "errorcode"]
    let other = around.members.first { member in
      let value = member.value.value
      let key = String(member.key)
      if key == name || value.isNull || value.plainText.isEmpty { return false }
      guard key.hasPrefix("@") else { return Double(value.plainText) == nil }
      return errors.contains(key.dropFirst().lowercased()) || errors.contains(value.plainText.lowercased())
        || ["fail", "failed", "failure"].contains(value.plainText.lowercased())
    }
    guard let other else { return }
    throw SourceError(
      .malformed, "the answer has no \(name), but \(Printable.clean(String(other.key)))",
      remedy: "write \"rowsMayBeMissing\": true if that is an empty list")
  }

  /// Returns the parts of the answer that a page is made of. A list that comes whole may be longer than a page one day, and only a header may say
  /// so then, unless the body has its total.
  private func basis(of page: Page<LooseRecord>, in response: HTTPResponse) -> PageBasis {
    let numbers = [paging.total, paging.pages].compactMap(\.self)
    let readsNumbers = numbers.contains { if case .header = $0 { true } else { false } }
    if readsNumbers || service.readsHeaders { return .more }
    let isLinked = paging.way.kind == .link && paging.way.next == nil
    if isLinked || response[header: "Link"] != nil { return .bodyAndLink }
    if response[header: "Content-Range"] != nil || paging.way.kind == .whole && page.total == nil { return .more }
    return .body
  }

  /// Returns the same list with one more value for its templates.
  func naming(_ name: String, _ value: Value) -> ManifestList {
    var list = self
    list.values[name] = value
    return list
  }

  /// Returns the values for a request for the page at a place.
  private func values(at place: PagePlace, of request: PageRequest) -> [String: Value] {
    if paging.startsPlain, request.cursor == nil { return values }
    return values.merging(paging.values(at: place, keepingType: keepsType)) { $1 }
  }

  /// True when a token keeps its JSON type, because it is sent in a body.
  private var keepsType: Bool { template.body?.templateNames.contains("token") ?? false }

  private func rows(in body: JSON) throws -> [JSON] {
    guard let found = rows.path.value(in: body), !found.isNull else {
      let around = rows.path.steps.indices.lazy.compactMap {
        ValuePath(steps: Array(rows.path.steps[..<$0])).value(in: body)?.toldError
      }
      if let error = around.first { throw error }
      if rows.mayBeMissing { return [] }
      // Of an empty list in XML, only the outermost element may be left.
      if format.kind == .xml, paging.end != .never, ValuePath(steps: Array(rows.path.steps.prefix(1))).value(in: body) != nil {
        return []
      }
      let place = rows.path.text
      throw SourceError(.malformed, place.isEmpty ? "the answer has no rows" : "the answer has no rows at \(place)")
    }
    if rows.keyed != nil, found.kind == .object { return found.members.map { $0.value } }
    return Array(try found.asArray())
  }

  /// Throws if the answer skips rows.
  private func refuse(rowsFrom first: Int, askedFor start: Int) throws {
    // Some services count from 1. If a service numbers its rows, the next page begins after the numbers that it gave.
    let slack = paging.way.kind == .offset || start == 0 ? 1 : 0
    guard first > start.adding(slack) else { return }
    throw SourceError(.badRequest, "the rows from \(start) on were asked for, and those from \(first) on came")
  }

  /// Returns whether there is more after this page; nil if the answer does not say. One sign of more is enough.
  private func more(in answer: ManifestAnswer, at place: PagePlace, rows: Int) throws -> Bool? {
    let words = try [
      countsFurther(in: answer, at: place, rows: rows), paging.more?.word(in: answer.body), namesNext(in: answer),
    ]
    return words.contains(true) ? true : words.contains(false) ? false : nil
  }

  /// Returns true if the service counts more pages than have come; nil if it does not count them, or counts fewer.
  private func countsFurther(in answer: ManifestAnswer, at place: PagePlace, rows: Int) throws -> Bool? {
    // The service counts pages of the usual size.
    let isUsual = paging.way.kind != .page || place.size == paging.pageSize
    guard isUsual, let pages = try paging.pages?.number(in: answer, isNeeded: true) else { return nil }
    let number = paging.way.kind == .page ? place.number : paging.way.first
    // A place may be any number.
    let before = number.adding(-paging.way.first)
    guard pages > 0 || rows == 0, rows > 0 || pages <= 1 || before >= pages else {
      throw SourceError(.malformed, "the service counts \(pages) pages, and page \(number) has \(rows) rows")
    }
    // A count that leaves out this page counts something else.
    return rows == 0 || before < pages ? before < pages.adding(-1) : nil
  }

  /// Returns true if the answer names a next page, in a list that pages in another way; nil if it names none.
  private func namesNext(in answer: ManifestAnswer) throws -> Bool? {
    guard paging.way.kind.facts.next == .optional, let path = paging.way.next else { return nil }
    guard let next = path.value(in: answer.body) else {
      if paging.end == .next { throw SourceError(.malformed, "the answer has no \(path.text)") }
      return nil
    }
    return try word(next) == nil ? nil : true
  }

  private func next(
    after rows: [JSON], isRead: Bool, in answer: ManifestAnswer, to request: HTTPRequest
  ) throws -> Continuation {
    switch paging.way.kind {
    case .whole: return .end
    case .offset, .page, .range: return .advance
    case .link:
      let address = try paging.way.next.map { try $0.value(in: answer.body).flatMap(word) } ?? link(in: answer.response)
      let next = try service.client.next(address, after: request)
      // After a redirect without a key, the host that answered may name its own pages.
      let hosts = [service.client.base.origin, request.address.origin, answer.response.detour?.to]
      if case .token(let address) = next, !hosts.contains(WebAddress(address)?.origin) {
        throw SourceError(.malformed, "the next page is on another host")
      }
      return next
    case .token: return try .token(ifAny: paging.way.next?.value(in: answer.body).flatMap(word))
    case .last:
      guard let last = rows.last, let path = paging.way.next else { return .advance }
      // The last readable key counts, because the rows after it may be broken.
      for row in rows.reversed() {
        let inner = self.rows.unwrap?.value(in: row)
        if let key = try? (inner.flatMap(path.value) ?? path.value(in: row)).flatMap(word) { return .token(key) }
      }
      // If no row of the page can be read, it has no key to continue with.
      if !isRead { return .advance }
      throw last.error("the last row has no \(path.text)")
    }
  }

  /// Returns the token as text; nil for null, false and an empty text. Throws for anything else, because it could still name another page.
  private func word(_ json: JSON) throws -> String? {
    switch json.kind {
    case .string where json.raw.count == 2: return nil
    case .string: return keepsType ? String(decoding: json.raw, as: UTF8.self) : try json.asString()
    case .number: return String(decoding: json.raw, as: UTF8.self)
    case .null: return nil
    case .bool where json.raw.count == 5: return nil
    default: throw json.mismatch("a token")
    }
  }

  private func link(in response: HTTPResponse) throws -> String? {
    if let next = response.link("next") { return next }
    guard !response.namesNextPage else {
      throw SourceError(.malformed, "the Link header names a next page and cannot be read")
    }
    return nil
  }
}

extension MoreLocation {
  /// Returns true if the answer says that there is more. Services write true and false in many ways. "yes" and
  /// "no" throw, because they may be ordinary text.
  package func word(in body: JSON) throws -> Bool {
    guard let json = path.value(in: body) else { throw SourceError(.malformed, "the answer has no \(path.text)") }
    let isText = json.kind == .string
    guard let word = try? Bool(json, as: .service),
      try !isText || ["true", "false", "1", "0"].contains(json.asString().lowercased())
    else {
      let found = String(decoding: json.raw.prefix(80), as: UTF8.self)
      throw SourceError(.malformed, "\(path.text): expected true or false, found \(found)")
    }
    return word != isNegated
  }
}

extension NumberLocation {
  /// Returns the number at this location; nil if it is missing. Throws if it is needed and missing. A number that counts nothing, such as
  /// 1.5, becomes -1. So does the `*` of a `Content-Range` if the number is needed.
  fileprivate func number(in answer: ManifestAnswer, isNeeded: Bool) throws -> Int? {
    switch self {
    case .body(let path):
      if let json = path.value(in: answer.body), !json.isNull {
        return (try? json.asDouble()) == nil ? try json.asInt() : (try? json.asInt()) ?? -1
      }
      if isNeeded { throw SourceError(.malformed, "the answer has no \(path.text)") }
    case .header(let name):
      if let number = answer.response.number(inHeader: name) { return number }
      let text = answer.response[header: name]?.trimmingSpaces
      let isRange = name.lowercased() == "content-range" && answer.response.rowRange != nil
      if isRange { return isNeeded ? -1 : nil }
      if text.flatMap(Double.init) != nil { return -1 }
      if isNeeded { throw SourceError(.malformed, "the answer has no number in the header \(name)") }
    }
    return nil
  }
}
