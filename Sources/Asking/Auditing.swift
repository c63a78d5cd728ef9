public import AggregatorCore

extension SourceSession {
  /// Compares what is stored with a random part of what the service says now, and stores the result beside the list. Without a seed it
  /// draws one.
  public func audit(_ ask: Ask, _ wishes: AuditWishes = AuditWishes()) async throws -> AuditAnswer {
    // Only the service answers an audit anyway, so no remedy may suggest leaving out `live`.
    try await advising(copy(of: ask) { $0.terms.reach = .anywhere }) {
      let seed = wishes.seed ?? world.dice.index(below: 1_000_000)
      let auditing = Auditing(live, of: try stored, seed: seed, counting: world.requests, clock: world.clock)
      let audit = try await world.asking(until: ask.deadline) {
        try await auditing.run(requests: wishes.requests)
      }
      return AuditAnswer(source: name, audit: audit)
    }
  }
}

/// The wishes of a caller for a recount.
public struct AuditWishes: Sendable, Hashable {
  /// The greatest number of pages and records that are asked for.
  public var requests: Int
  /// The number that decides what is drawn: the same number repeats a recount, and nil draws anew.
  public var seed: Int?

  /// The usual number of requests and a new draw, or these.
  public init(requests: Int = 20, seed: Int? = nil) { (self.requests, self.seed) = (requests, seed) }
}

/// The result of a recount of one source.
public struct AuditAnswer: Sendable {
  /// The name of the source.
  public let source: String
  /// The result.
  public let audit: Audit
}

extension AuditAnswer: Fielded {
  public static let fields: [Field<AuditAnswer>] =
    [
      Field<AuditAnswer>("source", .title, width: .whole) { $0.source },
      Field<AuditAnswer>("places", width: .whole) { $0.audit.places },
      Field<AuditAnswer>("rows", width: .whole) { $0.audit.rows },
      Field<AuditAnswer>("missing", .badge, width: .whole) { $0.audit.missing },
      Field<AuditAnswer>("ids", width: .whole) { $0.audit.ids },
      Field<AuditAnswer>("ghosts", width: .whole) { $0.audit.ghosts },
      Field<AuditAnswer>("newSince", width: .whole) { $0.audit.newSince },
      Field<AuditAnswer>("bound") { AuditBounds($0.audit) },
      Field<AuditAnswer>("lostPlaces", width: .hidden) { $0.audit.lostPlaces },
      Field<AuditAnswer>("method", width: .hidden) { $0.audit.method.rawValue },
      Field<AuditAnswer>("whole", width: .hidden) { $0.audit.isWhole },
      Field<AuditAnswer>("total", width: .hidden) { $0.audit.total },
      Field<AuditAnswer>("stored", width: .hidden) { $0.audit.stored },
      Field<AuditAnswer>("requests", width: .hidden) { $0.audit.requests },
      Field<AuditAnswer>("failed", width: .hidden) { $0.audit.failed },
      Field<AuditAnswer>("seed", width: .hidden) { $0.audit.seed },
      Field<AuditAnswer>("missingIDs", width: .hidden) { $0.audit.missingIDs },
      Field<AuditAnswer>("ghostIDs", width: .hidden) { $0.audit.ghostIDs },
      Field<AuditAnswer>("doubts", width: .hidden) { $0.audit.doubts },
      Field<AuditAnswer>("at", width: .hidden) { $0.audit.at.iso },
    ]
}

/// The bounds of a recount in JSON.
struct AuditBounds: Part {
  var rows: Double?
  var places: Double?
  var ghosts: Double?

  init() {}

  init(_ audit: Audit) { (rows, places, ghosts) = (audit.rowBound, audit.placeBound, audit.ghostBound) }

  static let fields: [Field<AuditBounds>] = [Field("rows", \.rows), Field("places", \.places), Field("ghosts", \.ghosts)]
}

/// A recount in the JSON of a status.
struct AuditPart: Part {
  var places = 0
  var rows = 0
  var missing = 0
  var ghosts = 0
  var newSince = 0
  var bound = AuditBounds()
  var at = ""

  init() {}

  init(_ audit: Audit) {
    (places, rows, missing, ghosts, newSince) = (audit.places, audit.rows, audit.missing, audit.ghosts, audit.newSince)
    (bound, at) = (AuditBounds(audit), audit.at.iso)
  }

  static let fields: [Field<AuditPart>] = [
    Field("places", \.places), Field("rows", \.rows), Field("missing", \.missing), Field("ghosts", \.ghosts),
    Field("newSince", \.newSince), Field("bound", \.bound), Field("at", \.at),
  ]
}

// MARK: - Words

extension Audit {
  /// The verdict on the copy, and the same in a sentence. Rows that the service announces and that did not come may be lost, or newer than the
  /// sync.
  public var judgement: (verdict: Verdict, sentence: String) {
    if findsFaults { return (.partial(.recorded(faults)), faults) }
    if !isConclusive { return (.unverifiable, "nothing could be compared") }
    if total == 0, stored > 0 {
      let lack = "the service announces no rows, and \(stored) \(stored == 1 ? "is" : "are") stored"
      return (.partial(.recorded(lack)), lack)
    }
    guard unseen > 0 else { return (.complete, "no differences found") }
    let lack = "\(unseen) of the \(total ?? 0) announced rows \(unseen == 1 ? "is" : "are") not stored"
    return (.unverifiable, "\(lack); no other difference was found")
  }

  /// The number of rows that the service announces beyond the stored ones and those that came and are newer.
  fileprivate var unseen: Int { max(0, max(0, total ?? 0) - stored - newSince) }

  /// The faults that were found: `3 rows missing and 1 record that the service no longer has`.
  var faults: String {
    let rows = missing > 0 ? "\(missing) row\(missing == 1 ? "" : "s") missing" : nil
    let records =
      ghosts > 0 ? "\(ghosts) stored record\(ghosts == 1 ? "" : "s") that the service no longer has" : nil
    return [rows, records].compactMap(\.self).joined(separator: " and ")
  }
}

extension AuditAnswer {
  /// The result for a person, in lines that can be repeated to a colleague. The first one says what was compared.
  public var lines: [String] {
    var lines = [missingLine]
    if audit.missing > 0 {
      let others = audit.missing - audit.missingIDs.count
      lines.append("  \(audit.missingIDs.joined(separator: ", "))\(others > 0 ? " and \(others) more" : "")")
      if !audit.tellsNew { lines.append("  they may be newer than the sync, since no field says when a record was made") }
    }
    if audit.newSince > 0 {
      lines.append("\(Self.count(audit.newSince, "row")) newer than the sync, and not counted as missing")
    }
    if audit.ids > 0 {
      lines.append(ghostLine)
      if audit.ghosts > 0 {
        let others = audit.ghosts - audit.ghostIDs.count
        lines.append("  \(audit.ghostIDs.joined(separator: ", "))\(others > 0 ? " and \(others) more" : "")")
      }
    }
    if let total = audit.total {
      let doubt = audit.unseen > 0 && audit.rows < audit.stored ? ": the others are missing, or newer than the sync" : ""
      lines.append("the service announces \(total); \(audit.stored) are stored\(doubt)")
    }
    return lines + audit.doubts
  }

  private var missingLine: String {
    let rows = Self.count(audit.rows, "row")
    let found = "\(audit.missing) of \(rows)"
    switch audit.method {
    case _ where audit.isWhole: return "\(found) missing: every row of the list was compared"
    case .whole, .walk: return "\(found) missing: the first ones of the list were compared"
    case .places:
      let places = "\(audit.places) place\(audit.places == 1 ? "" : "s")"
      guard let bound = audit.rowBound else { return "\(found) in \(places) missing" }
      let all = max(audit.missing > 0 ? audit.total ?? 0 : 0, audit.stored)
      let pages = audit.lostPlaces > 0 ? "whole pages are among them" : "a whole lost page could go unseen"
      return "\(found) in \(places) missing; if rows are lost singly, \(Self.most(bound, of: all, audit.missing)); \(pages)"
    }
  }

  private var ghostLine: String {
    let found = "\(audit.ghosts) of \(Self.count(audit.ids, "stored record")) not at the service"
    if audit.isWhole { return "\(found): every stored record was compared" }
    return audit.ghostBound.map { "\(found): \(Self.most($0, of: audit.stored, audit.ghosts))" } ?? found
  }

  private static func count(_ count: Int, _ word: String) -> String { "\(count) \(word)\(count == 1 ? "" : "s")" }

  /// Returns the bound of 95 % for a person, as a number of all rows that is rounded up, so that it never claims more. If a fault was
  /// found, the bound itself is possible.
  private static func most(_ share: Double, of all: Int, _ found: Int) -> String {
    "\(found > 0 ? "at most" : "under") \(Int((share * Double(all)).rounded(.up))) of \(all)"
  }
}
