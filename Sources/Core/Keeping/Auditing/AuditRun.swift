/// One recount while it runs: it asks, compares and counts.
struct AuditRun<Item: SourceItem> {
  struct Came {
    /// Their ids, as far as the recount has them.
    var ids: Set<String> = []
    var repeated = 0
    /// The number of rows whose values are others than those that are stored.
    var changed = 0
    /// The reason why a row could not be compared; nil without such a row. A stored record that did not come may be that row.
    var flaw: String?
  }

  struct ListSeen {
    var hasTotalMoved = false
    /// The places after pages that had fewer rows than were asked for, although nothing showed that the list ends there.
    var gaps: [Int] = []
    var emptyPlaces = 0
    var filledPages = 0
  }

  /// The stored records that the service does not have.
  struct Ghosts {
    var gone: [String] = []
    /// The gone records that were not looked up.
    var unconfirmed: [String] = []
  }

  var audit = Audit()
  let source: any DataSource<Item>
  let stored: StoredIDs<Item>
  let dice: any Dice
  let most: Int
  var came = Came()
  var list = ListSeen()
  var ghosts = Ghosts()
  /// The error that ended the recount, or the last one.
  var error: SourceError?
  var isOver = false

  /// True when pages that the service called unchanged have to be asked for in full.
  var doubtsUnchangedPages: Bool { stored.unchangedPages > 0 && (audit.findsFaults || came.changed > 0) }

  /// Says what the service had said of pages that the comparison does not bear out.
  mutating func doubtUnchangedPages() {
    guard doubtsUnchangedPages else { return }
    let other =
      came.changed > 0 ? "\(came.changed) of the rows \(came.changed == 1 ? "has" : "have") other values now, and " : ""
    audit.doubts.append(
      other + "the service had said of \(plural(stored.unchangedPages, "page")) that nothing has changed; "
        + "the next sync asks for every page in full")
  }

  var paging: Paging { source.profile.paging }
  var looksUp: Bool { source.profile.lookup == .native }
  var requestsLeft: Int { isOver ? 0 : max(0, most - audit.requests) }

  private static var mostExamples: Int { 5 }

  /// Returns a page; nil if the request failed. A service may refuse a place after the end of its list.
  mutating func page(at cursor: Cursor?, size: Int?, isAfterEnd: Bool = false) async throws -> Page<Item>? {
    audit.requests += 1
    do {
      let page = try await source.page(PageRequest(at: cursor, wanted: size))
      if !page.faults.isEmpty { came.flaw = "the service gives rows that cannot be read" }
      // A page that says of itself that it may not be all of its rows leaves a row that it lacks unproven.
      if page.standing ?? .complete != .complete || page.more == true && page.next == .end {
        came.flaw = came.flaw ?? "the service may have more rows than it gives"
      }
      if page.received > 0 { list.filledPages += 1 }
      if let total = page.total, !isAfterEnd {
        if let before = audit.total, before != total { list.hasTotalMoved = true }
        audit.total = total
      }
      return page
    } catch let error as SourceError {
      if isAfterEnd, [.notFound, .noSuchAddress, .badRequest].contains(error.kind) { return nil }
      try note(error)
      return nil
    }
  }

  /// Notes an error. One that would meet every further request ends the recount.
  mutating func note(_ error: SourceError) throws {
    if error.kind == .planned { throw error }
    self.error = error
    if error.kind == .requestsSpent {
      audit.requests -= 1
      isOver = true
      return
    }
    audit.failed += 1
    let isLasting = [.budgetSpent, .throttled, .unreachable, .refusedKey, .missingKey, .settings].contains(error.kind)
    isOver =
      isLasting || error.kind == .timedOut && Deadline.current != nil || audit.failed >= 5 && audit.places + audit.ids == 0
    audit.doubts.removeAll { $0.contains(" failed, the last one so: ") }
    audit.doubts.append("\(plural(audit.failed, "request")) failed, the last one so: \(error.message)")
  }

  var failure: SourceError {
    if source.listOfLists != nil, requestsLeft == 0, error.map({ $0.kind == .requestsSpent }) ?? true {
      return SourceError(
        .requestsSpent, "\(most) \(most == 1 ? "request is" : "requests are") too few to compare a list below a parent",
        remedy: .give([.init("requests", "N")], "to ask for more"))
    }
    return error ?? SourceError(.malformed, "the service gave no row to compare")
  }

  /// Compares the rows at a place with what is stored. `isDrawn` says that the place was drawn at random.
  mutating func compare(_ rows: [Item], isDrawn: Bool) async throws {
    var missing = 0
    var items: [String: Item] = [:]
    for item in rows {
      let (isNew, known) = came.ids.insert(item.id)
      if isNew {
        items[item.id] = item
      } else if known.hasBytes(of: item.id) {
        came.repeated += 1
      } else {
        came.flaw = "the service gives rows whose IDs differ only in how Unicode spells them"
      }
    }
    audit.rows += items.count
    let (absent, changed) = try await stored.compared(with: items)
    came.changed += changed
    for id in absent {
      let made = items[id].flatMap { source.schema.timeOfMaking(of: $0) }
      audit.tellsNew = audit.tellsNew || made != nil
      if let made, let began = stored.sync?.began, made >= began {
        audit.newSince += 1
        continue
      }
      missing += 1
      if audit.missingIDs.count < Self.mostExamples { audit.missingIDs.append(id) }
    }
    audit.missing += missing
    let isLost = !items.isEmpty && missing == items.count
    if isLost { audit.lostPlaces += 1 }
    guard isDrawn else { return }
    audit.sample.rows += items.count
    audit.sample.missing += missing
    audit.sample.places += 1
    if isLost { audit.sample.lost += 1 }
  }

  /// Compares all stored records with the whole list. What the list lacks is looked up, as far as the requests go.
  mutating func compareAll() async throws {
    guard audit.isWhole else { return }
    var (imported, found) = (0, 0)
    for id in try await stored.all() where !came.ids.contains(id) {
      if try await stored.isImported(id) {
        imported += 1
      } else if !looksUp || requestsLeft == 0 {
        ghosts.unconfirmed.append(id)
      } else if try await find(id) == .there {
        found += 1
      } else {
        ghosts.gone.append(id)
      }
    }
    ghosts.gone += ghosts.unconfirmed
    if found > 0 { audit.doubts.append("the service finds \(found) of the records by ID that it does not list") }
    audit.ids = stored.count - imported
    tell(gone: ghosts.gone)
  }

  mutating func tell(gone: [String]) {
    (audit.ghosts, audit.ghostIDs) = (gone.count, Array(gone.prefix(Self.mostExamples)))
  }

  /// True when records count as gone because none of several pages had them. A row that moved between two pages is on neither of them.
  var mayHaveMissedRows: Bool { !ghosts.unconfirmed.isEmpty && list.filledPages > 1 }

  /// Compares the records that no page had with another reading of the list.
  mutating func confirmGone(by other: AuditRun) {
    audit.requests += other.audit.requests
    if other.audit.isWhole {
      ghosts.gone.removeAll(where: other.came.ids.contains)
    } else {
      let count = plural(ghosts.unconfirmed.count, "stored record")
      audit.doubts.append("\(count) did not come, and may have moved from page to page while the list was read")
      (ghosts.gone, audit.isWhole, audit.ids) = ([], false, 0)
    }
    tell(gone: ghosts.gone)
  }
}
