import Synchronization

/// A source that asks its service only for pages that have changed since an earlier sync. Of the others the service says so (304), and the
/// stored records are the page.
struct RememberedPages<Item: SourceItem>: Wrapper {
  let upstream: any DataSource<Item>
  let memory: PageMemory<Item>

  func page(_ request: PageRequest) async throws -> Page<Item> {
    guard request.query == .everything else { return try await upstream.page(request) }
    let (page, isUnchanged, answer) = try await PageWatch.page(
      for: request, remembering: { [memory, profile] in await memory.page($0, by: profile) }
    ) { try await upstream.page(request) }
    guard let answer else { return page }
    if isUnchanged { memory.confirm(answer.request) } else { memory.remember(page, of: answer) }
    return page
  }
}

extension PageWatch {
  /// Returns the page that `ask` brings for `request`. If the service says that it has not changed, that is the one that `remembered` has of an
  /// earlier request of that name. The answer is the one that brought the page; nil if it cannot be asked for again in this way.
  static func page<Item>(
    for request: PageRequest, remembering remembered: @escaping @Sendable (String) async -> (Page<Item>, Validators)?,
    _ ask: () async throws -> Page<Item>
  ) async throws -> (page: Page<Item>, isUnchanged: Bool, answer: Answer?) {
    let known = Mutex<Page<Item>?>(nil)
    let watch = PageWatch { name in
      guard let (page, validators) = await remembered(name) else { return nil }
      known.withLock { $0 = page }
      return validators
    }
    var page: Page<Item>?
    do {
      page = try await $current.withValue(watch) { try await ask() }
    } catch is PageIsUnchanged {}
    // Whatever the source made of the answer, the page is the remembered one.
    if let answer = watch.confirmed, let page = known.withLock(\.self) { return (page, true, answer) }
    guard let page else { throw SourceError(.malformed, "the service did not say what has changed") }
    return (page, false, page.mayBeRemembered(as: request, hasCountedLink: watch.hasCountedLink) ? watch.answer : nil)
  }
}

/// The pages of the last syncs of a list: which records each had, and by which marks the service knows it. The records themselves are those in
/// the store, and a page is used only while they are exactly what it brought.
final class PageMemory<Item: SourceItem>: Sendable {
  private struct State {
    /// The pages of earlier runs by their requests.
    var earlier: [String: JSON] = [:]
    /// The pages of this run.
    var present: [String: [UInt8]] = [:]
    /// The pages that came, with their records, until these are written for the store.
    var awaited: [(page: RememberedPage, items: [Item])] = []
    var size = 0
    var unchanged = 0
  }

  /// The most bytes that are kept of the pages of a list. Further pages are asked for in full.
  private static var most: Int { 16 << 20 }
  private static var mostAwaited: Int { 8 }

  private let archive: Archive<Item>
  private let writer: RowWriter<Item>
  /// The description by which the pages were read, and the holder of the list.
  private let identity: String
  private let state: Mutex<State>

  /// Reads what is kept of the list. With `forgetting` nothing of that is used.
  init(of archive: Archive<Item>, forgetting: Bool) async throws {
    (self.archive, writer) = (archive, RowWriter(archive.schema))
    identity = try await archive.pageIdentity
    var earlier: [String: JSON] = [:]
    if !forgetting, let text = try await archive.snapshot().storedText(archive.kind.name(of: .pages)),
      let kept = try? JSON(Array(text.utf8)), (try? kept.string("list")) == identity
    {
      if let pages = kept["pages"] {
        for page in pages.elements { if let name = try? page.string("request") { earlier[name] = page } }
      }
    }
    state = Mutex(State(earlier: earlier))
  }

  /// The number of pages of which the service said that they have not changed.
  var unchanged: Int { state.withLock(\.unchanged) }

  /// Returns the page that a request of that name brought, as the store has its records now; nil if it is not remembered, or if a record is
  /// not stored as it came.
  fileprivate func page(_ name: String, by maker: Profile) async -> (Page<Item>, Validators)? {
    guard let json = state.withLock({ $0.earlier[name] }), let kept = try? RememberedPage(json, as: .own), !kept.ids.isEmpty,
      let snapshot = try? await archive.snapshot(),
      let rows = try? await snapshot.rows(of: archive.kind, .ids(kept.ids), after: 0, count: kept.ids.count),
      let read = try? rows.read(by: archive.schema), read.faults.isEmpty
    else { return nil }
    let places = Dictionary(read.items.enumerated().map { ($0.element.id, $0.offset) }) { first, _ in first }
    let order = kept.ids.compactMap { places[$0] }
    var print = Fingerprint()
    for place in order { print.combine(rows.rows[place].body) }
    guard order.count == kept.ids.count, String(print.value, radix: 36) == kept.digest else { return nil }
    let items = order.map { read.items[$0] }
    var page = Page(by: maker, items, faults: [], total: nil, next: .advance, origin: .live)
    (page.statements, page.mark, page.shape) = (kept.said, kept.mark, kept.shape)
    return (page, Validators(tag: kept.tag, modified: kept.modified))
  }

  /// Remembers a page once its records are written, if all that it says can be made again of these.
  fileprivate func remember(_ page: Page<Item>, of answer: PageWatch.Answer) {
    guard page.faults.isEmpty, page.misfits.isEmpty, !page.items.isEmpty else { return }
    let ids = page.ids
    guard Set(ids).count == ids.count else { return }
    var kept = RememberedPage()
    (kept.request, kept.tag, kept.modified) = (answer.request, answer.validators.tag, answer.validators.modified)
    (kept.ids, kept.said, kept.mark, kept.shape) = (ids, page.statements, page.mark, page.shape)
    state.withLock { [kept] state in
      state.awaited.append((kept, page.items))
      // Few pages are on their way at once. Others wait for nothing, such as one whose records all came before.
      if state.awaited.count > Self.mostAwaited { state.awaited.removeFirst() }
    }
  }

  /// Returns what remembers the page of these records, once they are written; nil if no page waits for that.
  func noting(_ items: [Item]) -> (@Sendable (ArraySlice<Batch.Row>, [UInt8]) -> Void)? {
    guard let last = items.last?.id else { return nil }
    // Pages that were asked for ahead come in any order, and one may begin with the last row of the page before it.
    let found = state.withLock { state in
      state.awaited.firstIndex { $0.page.ids.last == last }.map { state.awaited.remove(at: $0) }
    }
    guard let (page, all) = found else { return nil }
    return { [self] rows, bytes in
      guard let digest = digest(of: all, writtenAs: rows, in: bytes) else { return }
      remember(copy(of: page) { $0.digest = digest })
    }
  }

  /// Returns the digest of records as a store will have them; nil if others are among the `rows`. A record that was written with an earlier page
  /// is written here.
  private func digest(of items: [Item], writtenAs rows: ArraySlice<Batch.Row>, in bytes: [UInt8]) -> String? {
    var (print, rows, others) = (Fingerprint(), rows, WrittenRows())
    for item in items {
      if let row = rows.first, bytes[row.id].elementsEqual(item.id.utf8) {
        print.combine(bytes[row.body])
        rows.removeFirst()
      } else {
        let body = writer.append(item, to: &others, misfits: []).body
        print.combine(others.bytes[body])
        others.removeAll()
      }
    }
    return rows.isEmpty ? String(print.value, radix: 36) : nil
  }

  private func remember(_ page: RememberedPage) {
    let (name, bytes) = (page.request, page.value.bytes)
    state.withLock { state in
      guard state.size + bytes.count <= Self.most else { return }
      state.size += bytes.count - (state.present[name]?.count ?? 0)
      state.present[name] = bytes
    }
  }

  /// Notes that the service said of the page that it has not changed.
  fileprivate func confirm(_ name: String) {
    state.withLock { state in
      state.unchanged += 1
      guard state.present[name] == nil, let bytes = state.earlier[name].map({ Array($0.raw) }),
        state.size + bytes.count <= Self.most
      else { return }
      state.size += bytes.count
      state.present[name] = bytes
    }
  }

  /// Stores the pages for the next sync. Those of earlier runs stay beside them if this run did not ask for all.
  func store(isWhole: Bool) async throws {
    let (earlier, present) = state.withLock { ($0.earlier, $0.present) }
    guard !(earlier.isEmpty && present.isEmpty) else { return }
    var pages = present
    if !isWhole { for (name, page) in earlier where pages[name] == nil { pages[name] = Array(page.raw) } }
    var text = Array("{\"list\":".utf8) + Value.text(identity).bytes + Array(",\"pages\":[".utf8)
    for (index, page) in pages.sorted(by: { $0.key < $1.key }).enumerated() where text.count + page.value.count <= Self.most {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      text += page.value
    }
    text += Array("]}".utf8)
    try await archive.writable.note(String(decoding: text, as: UTF8.self), as: .pages, of: archive.kind)
  }
}

/// One page as it is remembered: its request, the marks of the answer, and all that it said beside its records.
private struct RememberedPage: Part {
  var request = ""
  var tag: String?
  var modified: String?
  var ids: [String] = []
  /// The digest of the records as they were stored.
  var digest = ""
  var said = PageStatements(next: .advance, paging: .whole)
  var mark: Moment?
  var shape = ShapeCounts()

  static let fields: [Field<RememberedPage>] = [
    Field("request", \.request), Field("tag", \.tag), Field("modified", \.modified), Field("ids", \.ids),
    Field("digest", \.digest), Field("total", \.said.total), Field("next", \.said.next), Field("more", \.said.more),
    Field("paging", \.said.paging), Field("mark", \.mark), Field("shape", \.shape), Field("standing", \.said.standing),
  ]
}

extension Page {
  /// True when the same body always stands for this page: its rows, and what it says of its place in the list, are all that came.
  ///
  /// A list may grow after its last page while the body of that page stays as it is, if only a header names a next page. And a header with a
  /// total says another number then. `hasCountedLink` says that the next page has the next number.
  func mayBeRemembered(as request: PageRequest, hasCountedLink: Bool) -> Bool {
    guard origin.isOwnService, bookmark == nil, parameters.isEmpty, searched == nil, !isInOneOutput else { return false }
    // What the answer said of itself is asked for again, as a person may have told the source to ignore it since.
    guard notices.isEmpty, standing?.reason == nil else { return false }
    guard stored.counted == nil, !stored.isSorted else { return false }
    switch basis {
    case .body: return true
    case .bodyAndLink: return total == nil && hasCountedLink && next != .end && more != false && received >= maker.paging.size
    case .more: return false
    }
  }
}

extension Archive {
  /// A text that tells by which description, from which address and for whom pages were read.
  fileprivate var pageIdentity: String {
    get async throws {
      let holder = plan == nil ? try await stamp(read: "")?.holder : nil
      return [identity, holder ?? ""].joined(separator: " ")
    }
  }
}
