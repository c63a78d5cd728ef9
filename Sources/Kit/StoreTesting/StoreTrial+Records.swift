import AggregatorCore

extension StoreTrial {
  func empty() async throws {
    let snapshot = try await store.snapshot()
    try require(await snapshot.census(of: kind), is: Census(count: 0, newest: nil), "the census")
    try require(await snapshot.sync(of: kind), is: nil, "the last sync")
    for question in [StoredQuery.everything, .id("1"), .maybeMatching("port"), .rows([1])] {
      let found = try await snapshot.rows(of: kind, question, after: 0, count: 10)
      try require(found.rows.isEmpty && found.next == nil, "\(question) finds something")
    }
    if has(.positions) {
      try require(await store.position(of: kind), is: Position(), "the position")
      try require(await take(9), is: [], "what is taken")
      try await store.giveBack(["1"], to: kind)
      try await store.reset(kind)
      try require(await store.met(["1"], of: kind, reading: 1), is: [], "what a reading has met")
    }
    try await store.optimize(kind, bulk: true)
    if has(.syncs) {
      try require(await store.sync(of: kind), is: nil, "the last sync")
      try require(await store.met(["1"], of: kind, sync: 1), is: [], "what a sync has met")
    }
    if has(.deletions) {
      try require(await store.history(of: "1", of: kind), is: nil, "the history")
      try require(await store.restore("1", of: kind), is: false, "whether something was restored")
    }
    if has(.answers) {
      try require(await store.answer(AnswerKey(source: "ports", query: "list"), step: 0), is: nil, "an answer")
    }
    if has(.upkeep) {
      try require(await store.clearAnswers(), is: 0, "the number of removed answers")
      try require(await store.holdings(), is: [], "what is kept")
    }
  }

  func bytes() async throws {
    let odd = [
      Port("nul\0inside", "\0 \"quoted\" \\ 👩‍🚀"), Port("'; DROP TABLE ports; --", "line\nbreak\u{7F}"),
      Port("e\u{301}", "é e\u{301}"), Port("long", String(repeating: "Łódź ", count: 20_000)),
    ]
    var batch = Batch(kind, rule: .firstStays)
    batch.add(odd, from: fetch(1))
    _ = try await store.land(batch)
    let due = batch.rows.map { Array(batch.bytes[$0.body]) }
    try require(Set(await rows(of: kind).map(\.body)) == Set(due), "a body is another one when it is read")
    for (port, body) in zip(odd, due) where has(.deletions) {
      try require(
        await ports.history(of: port.id)?.record?.body == body, "the body of \(port.id) is another one in its history")
    }
    var intake = ports.intake(rule: .firstStays)
    let misfits = ["misfit": [Misfit(leftOutOf: "name")]]
    _ = try await intake.add([Port("misfit", "")], emptied: [:], misfits: misfits, from: fetch(2))
    _ = try await intake.finish()
    let body = try await rows(of: kind, .id("misfit")).first?.body ?? []
    try require(JSON(body).value.members?.last?.name, is: "", "the mark of a record with a value that did not fit")
  }

  func identity() async throws {
    // Swift takes two of these for the same text.
    let different = ["ab7", "AB7", "é", "e\u{301}", "nul\0a", "nul\0b", "space", "space "]
    try await land(different.map { Port($0, "A port") })
    try require(await rows(of: kind).count, is: different.count, "records")
    for id in different {
      let found = try await rows(of: kind, .id(id)).map { Array(try Port(JSON($0.body), as: .own).id.utf8) }
      try require(found, is: [Array(id.utf8)], "what is found by the id \"\(id)\"")
    }
    for other in ["Ab7", "nul", "SPACE"] {
      try require(await ids(nil, .id(other)), is: [], "what is found by the id \"\(other)\"")
    }
  }

  func firstStays() async throws {
    let landed = try await land([port(1, "Ann"), port(1, "Bea"), port(1, "Ann")], 1)
    try require(landed, is: LandingResult(new: 1, duplicates: 2), "what landed")
    try require(await land([port(1, "Cid"), port(2)], 2), is: LandingResult(new: 1, duplicates: 1), "what landed after it")
    try require(await land([port(2)], 3), is: LandingResult(duplicates: 1), "what landed of the same")
    try require(await name(of: "1"), is: "Ann", "the record that is kept")
    for (id, number) in [("1", 1), ("2", 2)] where has(.deletions) {
      try require(await ports.history(of: id)?.fetch, is: fetch(number), "what brought \(id)")
    }
  }

  func lastStays() async throws {
    let landed = try await land([port(1), port(2), port(3), port(1)], 1, rule: .lastStays)
    try require(landed, is: LandingResult(new: 3, duplicates: 1), "what landed")
    let more = try await land([port(2, "Bea"), port(3), port(4)], 2, rule: .lastStays)
    try require(more, is: LandingResult(new: 1, updated: 1, duplicates: 1), "what landed after it")
    try require(await name(of: "2"), is: "Bea", "the record that is kept")
    guard has(.deletions) else { return }
    for (id, number) in [("1", 1), ("2", 2), ("3", 2), ("4", 2)] {
      try require(await ports.history(of: id)?.fetch, is: fetch(number), "what brought \(id) last")
    }
    try require(await ports.history(of: "2")?.absorbed.isEmpty, is: true, "whether nothing is absorbed")
  }

  func imports() async throws {
    try require(
      await bring([port(1, "Ann"), port(1, "Bea")], 1), is: LandingResult(new: 1, repeated: 1), "what the first file brought")
    try require(
      await bring([port(1, "Cid"), port(2)], 2, since: 1), is: LandingResult(new: 1, repeated: 1), "what its end brought")
    try require(await name(of: "1"), is: "Ann", "the first of one file")
    let second = try await bring([port(1, "Dan"), port(2), port(1, "Eve"), port(2, "Eve")], 3)
    try require(second, is: LandingResult(updated: 1, duplicates: 1, repeated: 2), "what the second file brought")
    try require(await [name(of: "1"), name(of: "2")], is: ["Dan", "Port 2"], "the first of the second file")
    for id in ["1", "2"] where has(.deletions) {
      try require(await ports.history(of: id)?.fetch?.at, is: fetch(3).at, "when \(id) last came")
    }
    var part = Batch(kind, rule: .imported(since: fetch(9).at))
    part.add([Pier(id: "2", depth: 7)], of: Pier.schema, from: fetch(9, question: Fetch.importing))
    _ = try await store.land(part)
    try require(await name(of: "2"), is: "Port 2", "what a file does not tell of a record")
    try await land([port(1, "Fay")], 4, rule: .lastStays)
    guard try await name(of: "1") == "Fay" else { return }
    let third = try await bring([port(1, "Gus")], 5)
    try require([third.new, third.updated], is: [0, 0], "what a third file brought")
    try require(await name(of: "1"), is: "Fay", "what the service gave since")
  }

  func differing() async throws {
    let quays = Archive<Quay>("quays", in: store)
    func bring(_ items: Quay..., number: Int) async throws -> LandingResult { try await self.bring(items, number, to: quays) }
    guard try await takesImports(to: quays) else { return }
    let given = [Quay("1", "North", .double(1), ["Ann"]), Quay("2", "South", .text("470")), Quay("3")]
    try await quays.land(given, from: fetch(1))
    let same = try await bring(
      given[0], Quay("1", nil, .int(1)), Quay("1"), Quay("2", "South", .int(470)), Quay("3", ""), number: 2)
    try require(same, is: LandingResult(duplicates: 5), "counts for a file with the same values")
    let other = try await bring(
      Quay("1", "West"), Quay("1", nil, .int(2)), Quay("2", nil, .null, ["Bea"]), Quay("3"), Quay("4", "East"),
      Quay("4", "Isle"),
      number: 3)
    try require(
      other, is: LandingResult(new: 1, duplicates: 1, differing: 3, repeated: 1), "counts for a file with other values")
    let stored = try await rows(of: quays.kind).map { try Quay(JSON($0.body), as: .own) }
    try require(stored.map(\.name), is: ["Second", "North", "South", nil, "East"], "what is kept")
    try require(await rows(of: quays.kind, .id("1")).count, is: 1, "how many are found by the id of one that differed")
    guard has(.deletions) else { return }
    let absorbed = try await quays.history(of: "1")?.absorbed.map { try Quay(JSON($0.body), as: .own).name }
    try require(absorbed?.contains("West"), is: true, "whether what differed is remembered")
  }

  func edits() async throws {
    let quays = Archive<Quay>("quays", in: store)
    guard try await takesImports(to: quays) else { return }
    // A store without "the last stays" is not tried here either; another law reports that.
    guard try await quays.land([Quay("0", "Third")], from: fetch(1), rule: .lastStays).updated == 1 else { return }
    try await editsThatLast(in: EditedQuay(trial: self, quays: quays))
    try await editsTakenBack(in: EditedQuay(trial: self, quays: quays, number: 20))
    try await editsAlone()
  }

  /// A quay that the service and a person give by turns, each time beside another one.
  private struct EditedQuay {
    let trial: StoreTrial
    let quays: Archive<Quay>
    /// The number of the last fetch.
    var number = 1

    mutating func give(_ quay: Quay) async throws -> LandingResult {
      number += 1
      return try await quays.land([quay, Quay("2", "South")], from: trial.fetch(number), rule: .lastStays)
    }

    mutating func edit(_ quay: Quay) async throws -> LandingResult {
      number += 1
      return try await trial.bring([quay, Quay("2", "South")], number, replacing: true, to: quays)
    }

    var stored: [String] {
      get async throws {
        guard let body = try await quays.history(of: "1")?.record?.body else { return [] }
        let quay = try Quay(JSON(body), as: .own)
        return [quay.name ?? "", "\(quay.depth)", quay.ships.joined()]
      }
    }

    var edits: [Edit] { get async throws { try await trial.store.snapshot().edits(of: quays.kind) } }
  }

  /// Tries edits until one of two ends, because the service gives another value.
  private func editsThatLast(in start: EditedQuay) async throws {
    var quay = start
    let name = Edit(of: "1", at: "name", given: .text("North"), value: .text("West"))
    let depth = Edit(of: "1", at: "depth", given: .int(1), value: .int(2))
    _ = try await quay.give(Quay("1", "North", .int(1), ["Ann"]))
    let before = try await store.snapshot()
    try require(await quay.edit(Quay("1", "West", .int(2))), is: LandingResult(updated: 1, duplicates: 1), "what an edit does")
    try require(await quay.edits, is: [name, depth], "the edits")
    try require(await before.edits(of: quay.quays.kind), is: [], "the edits in a snapshot from before them")
    try require(await quay.stored, is: ["North", "\(Value.int(1))", "Ann"], "an edited record")
    try require(await quay.quays.history(of: "1")?.fetch, is: fetch(2), "what brought an edited record")
    let again = try await quay.edit(Quay("1", "West", .int(2)))
    try require(again, is: LandingResult(duplicates: 2), "what the same values from a file do")
    let same = try await quay.give(Quay("1", "North", .int(1), ["Ann"]))
    try require(same, is: LandingResult(duplicates: 2), "what the same from the service does")
    try require(await quay.give(Quay("1", "North", .int(1), ["Bea"])).updated, is: 1, "how many another field changes")
    try require(await quay.stored, is: ["North", "\(Value.int(1))", "Bea"], "an edited record with another change")
    try require(await quay.edits, is: [name, depth], "edits beside another change")
    let ended = try await quay.give(Quay("1", "Nord", .int(1), ["Bea"]))
    try require([ended.updated, ended.endedEdits], is: [1, 1], "what a change of the edited field does")
    try require(await quay.stored, is: ["Nord", "\(Value.int(1))", "Bea"], "a record of which an edit ended")
    try require(await quay.edits, is: [depth], "the edits that last")
  }

  /// Tries what becomes of the edit that lasts, and how further edits go.
  private func editsTakenBack(in start: EditedQuay) async throws {
    var quay = start
    let quays = quay.quays
    let lasting = try await quay.edits
    for reading in ["one", "another"] { try await store.stamp(quays.kind) { _ in ListStamp(reading: reading) } }
    try require(await quay.edits, is: lasting, "the edits after the list has changed")
    _ = try await quay.give(Quay("1", "Nord", .int(1), ["Bea"]))
    try require(await quays.takeBackEdits(of: "1").map(\.text), is: ["depth"], "what is taken back")
    try require(await quays.takeBackEdits(of: "1"), is: [], "what is taken back twice")
    try require(await quays.takeBackEdits(of: "nobody"), is: [], "what is taken back of a record that is not there")
    try require(await quay.edits, is: [], "edits that were taken back")
    _ = try await quay.edit(Quay("1", "East"))
    try require(await quay.edit(Quay("1", "Nord")).updated, is: 1, "what an edit to the service's own value does")
    try require(await quay.edits, is: [], "an edit to the service's own value")
    _ = try await quay.edit(Quay("1", "East"))
    try require(await Archive<Quay>("quays.test", in: store).takeBackEdits(of: "1"), is: [], "the edits of another kind")
    try require(await quay.edits.count, is: 1, "the number of edits after that")
    _ = try await store.forget(quays.kind, importedOnly: false)
    try require(await quay.edits, is: [], "edits of removed records")
  }

  /// Tries a list for which a file brought only edits, one of which removes a value.
  private func editsAlone() async throws {
    let berths = Archive<Quay>("berths", in: store)
    func sync(_ name: String, at second: Int) async throws -> SyncState? {
      var state = try await store.beginSync(of: berths.kind, at: moment(second), full: true, mark: nil)
      var batch = Batch(berths.kind, rule: .lastStays)
      batch.add([Quay("1", name, .int(1), ["Ann"]), Quay("2", "South")], of: Quay.schema, from: self.fetch(second))
      batch.sync = state
      _ = try await store.land(batch)
      (state.verdict, state.ended) = (.complete, moment(second + 1))
      _ = try await store.note(state, of: berths.kind)
      return try await store.sync(of: berths.kind)
    }
    _ = try await sync("North", at: 50)
    // A store in which a file replaces the service's records is reported by another law.
    guard try await bring([Quay("1", "West")], 55, to: berths).differing == 1 else { return }
    let fetch = fetch(60, question: Fetch.importing)
    var batch = Batch(berths.kind, rule: .imported(since: fetch.at, replacing: true))
    batch.add([Quay("1", "West")], of: Quay.schema, from: fetch, emptied: [0: [FieldPath(["ships"])]])
    try require(await store.land(batch), is: LandingResult(updated: 1), "what a file of edits brought")
    let found = try await rows(of: berths.kind, .ids(["2", "1", "nobody"])).map { try Quay(JSON($0.body), as: .own) }
    try require(found.map { $0.name ?? "" }.sorted(), is: ["North", "South"], "what is found by several ids")
    func search(_ text: String) async throws -> [Quay] {
      try await berths.records().page(PageRequest(.matching(text))).items
    }
    try require(await search("west").map(\.ships), is: [[]], "what a search for an edited value finds")
    try require(await search("north").isEmpty, is: true, "whether a search finds nothing by the replaced value")
    let census = try await store.snapshot().census(of: berths.kind)
    try require([census.hasImports, census.hasOthers], is: [false, true], "whether records were imported, or came otherwise")
    try require(await sync("North", at: 70)?.counts.landed.endedEdits, is: 0, "how many edits a sync of the same ends")
    try require(await sync("Nord", at: 80)?.counts.landed.endedEdits, is: 1, "how many edits a sync of another value ends")
    let change = try await store.changes(of: berths.kind, since: moment(75)).first
    try require(change?.endedEdits, is: ["name"], "the field of which a change ended the edit")
    let names = try [change?.before, change?.after].map { try $0.map { try Quay(JSON($0), as: .own).name ?? "" } ?? "" }
    try require(names, is: ["West", "Nord"], "an edited record before and after that change")
  }

  private func bring(
    _ items: [Quay], _ number: Int, replacing isReplacing: Bool = false, to quays: Archive<Quay>
  ) async throws -> LandingResult {
    let fetch = fetch(number, question: Fetch.importing)
    return try await quays.land(items, from: fetch, rule: .imported(since: fetch.at, replacing: isReplacing))
  }

  /// False for a store that imports nothing; another law reports that.
  private func takesImports(to quays: Archive<Quay>) async throws -> Bool {
    _ = try await bring([Quay("0", "First")], 0, to: quays)
    return try await bring([Quay("0", "Second")], 1, to: quays).updated == 1
  }

  func absorbed() async throws {
    try await land([port(1, "Ann"), port(1, "Bea"), port(1, "Ann")], 1)
    try await land([port(1, "Cid"), port(1, "Bea")], 2)
    guard let history = try await ports.history(of: "1"), try await name(of: "1") == "Ann" else { return }
    try require(history.absorbed.map { try Port(JSON($0.body), as: .own).name }, is: ["Bea", "Cid", "Bea"], "what is absorbed")
    try require(history.absorbed.map(\.fetch), is: [fetch(1), fetch(2), fetch(2)], "what brought that")
  }

  func batches() async throws {
    try await land([port(1)], 1)
    let state = try await store.beginSync(of: kind, at: moment(1), full: true, mark: nil)
    let last = try await store.beginSync(of: kind, at: moment(2), full: true, mark: nil)
    guard try await isRefused({ try await land([port(2), port(3)], 2, rule: .lastStays, of: state) }) else { return }
    try require(await ids(), is: ["1"], "what is kept after a batch that was refused")
    try require(await ids(nil, .maybeMatching("port 3")).contains("3"), is: false, "whether a search finds some of it")
    if has(.deletions) { try require(await ports.history(of: "3"), is: nil, "the history of one of its records") }
    try require(await store.sync(of: kind), is: last, "the last sync")
  }

  func order() async throws {
    try await land((0..<7).map { port($0) }, 1)
    try await land([port(9), port(3, "Changed"), port(8)], 2, rule: .lastStays)
    try await land([port(5, "Absorbed"), port(7)], 3)
    let due = [0, 1, 2, 3, 4, 5, 6, 9, 8, 7].map(String.init)
    for count in [1, 3, 10, 100] {
      let rows = try await rows(of: kind, by: count)
      try require(rows.map { try Port(JSON($0.body), as: .own).id }, is: due, "the order in pages of \(count)")
      try require(zip(rows, rows.dropFirst()).allSatisfy { $0.row < $1.row }, "a row has a lower number than the one before it")
    }
  }

  func rowNumbers() async throws {
    try await land((0..<1_000).map { port($0) }, 1)
    let all = try await rows(of: kind)
    if has(.deletions) { try await store.delete("5", of: kind, at: moment(2)) }
    let left = all.filter { !has(.deletions) || $0.row != all[5].row }
    for numbers in [all, all.reversed(), Array(all[3..<7]), [all[999], all[0]], [all[5]], []].map({ $0.map(\.row) }) {
      let found = try await store.snapshot().rows(of: kind, .rows(numbers + [.min, -1, .max]), after: 0, count: 10)
      try require(found.next, is: nil, "after which row others follow")
      let due = left.filter { numbers.contains($0.row) }.map { StoredRow(row: $0.row, body: $0.body) }
      let seen = found.rows.sorted { $0.row < $1.row }.map { StoredRow(row: $0.row, body: $0.body) }
      try require(seen == due, "of \(numbers.count) places \(due.count) have rows, and \(seen.count) others are found")
    }
  }

  func search() async throws {
    let filler = (0..<1_200).map { Port("filler \($0)", "Mmmmm") }
    let names = [
      "Łódź", "Rotterdam", "Straße 5", "100% safe_harbour", "O'Brien \"the Fox\"", "日本語の港", "x", "ab", "nul\0inside",
      "AND OR NOT *", "Port-au-Prince",
    ]
    try await land(filler, 1)
    try await land(names.enumerated().map { Port("p\($0)", $1) } + [Port("changed", "Old name")], 2)
    try await land([Port("changed", "Zeebrugge")], 3, rule: .lastStays)
    let isChanged = try await name(of: "changed") == "Zeebrugge"
    // One of the filler records, which are all alike, is enough.
    let all = try await rows(of: kind).dropFirst(filler.count - 1).map {
      (row: $0.row, port: try Port(JSON($0.body), as: .own))
    }
    .filter { isChanged || $0.port.id != "changed" }
    for needle in names + [
      "", " ", "l", "lo", "lodz", "STRASSE", "%", "_", "\"", "日", "本語", "zee", "q", "nobody has this", "and", "*", "\0",
      // Words in any order, joints that do not count, and ids.
      "portauprince", "port au prince", "prince port", "PORT.AU", "aupr", "obrien", "harbour safe", "5 strasse", "p3",
      "P.3", "changed",
    ] {
      let (matcher, found) = (Matcher<Port>(needle), Set(try await rows(of: kind, .maybeMatching(needle), by: 500).map(\.row)))
      if let missed = all.first(where: { matcher.matches($0.port) && !found.contains($0.row) }) {
        throw Breach(seen: "a search for \"\(needle)\" misses \"\(missed.port.name)\"")
      }
    }
  }
}

extension LandingResult {
  init(
    new: Int = 0, updated: Int = 0, readAnew: Int = 0, duplicates: Int = 0, differing: Int = 0, deleted: Int = 0,
    repeated: Int = 0
  ) {
    self.init()
    (self.new, self.updated, self.readAnew, self.duplicates) = (new, updated, readAnew, duplicates)
    (self.differing, self.deleted, self.repeated) = (differing, deleted, repeated)
  }
}
