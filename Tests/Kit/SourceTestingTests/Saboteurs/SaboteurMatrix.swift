import SourceTesting

/// Every saboteur under every check. It proves that the checks can fail, and that each fails for its own reason alone.
struct SaboteurMatrix: Sendable {
  struct Row: Sendable {
    let saboteur: Saboteur
    let report: ConformanceReport

    /// A fault of the checks that this saboteur shows; nil without one.
    var complaint: String? {
      if let unfit = report.unfit { return "\(saboteur): the suite could not start: \(unfit)" }
      let caught = report.failures
      if let stray = caught.first(where: { !saboteur.target.covers($0.hazard, $0.law) }) {
        return "\(saboteur) was also caught by \(stray.law) under \(stray.hazard): \(stray.outcome)"
      }
      return caught.isEmpty ? "\(saboteur) was not caught" : nil
    }
  }

  let rows: [Row]

  init(_ saboteurs: [Saboteur] = Saboteurs.all) async {
    var rows: [Row] = []
    for saboteur in saboteurs {
      rows.append(Row(saboteur: saboteur, report: await Conformance(of: saboteur.descriptor, fixture: saboteur.fixture).report()))
    }
    self.rows = rows
  }

  /// The faults of the checks: a saboteur that passes, one that another check catches, a law or a hazard without a saboteur.
  var complaints: [String] {
    let caught = rows.flatMap(\.report.failures)
    let idleLaws = Law.allCases.filter { law in !caught.contains { $0.law == law } }.map { "no saboteur breaks the law \"\($0)\"" }
    let idleHazards = Hazard.allCases.filter { hazard in !caught.contains { $0.hazard == hazard } }
      .map { "no saboteur mishandles \"\($0)\"" }
    return rows.compactMap(\.complaint) + idleLaws + idleHazards
  }
}

extension SaboteurMatrix: CustomStringConvertible {
  /// A line for each saboteur, with the laws that caught it and the number of hazards for each.
  var description: String {
    let width = rows.map(\.saboteur.name.count).max() ?? 0
    return rows.map { row in
      row.saboteur.name + String(repeating: " ", count: width - row.saboteur.name.count) + "  ✗ " + row.report.caught
    }.joined(separator: "\n")
  }
}

extension ConformanceReport {
  /// The laws that were broken, and under how many hazards each.
  var caught: String {
    let caught = Law.allCases.compactMap { law -> String? in
      let hazards = failures.filter { $0.law == law }.map(\.hazard.rawValue)
      return hazards.isEmpty ? nil : "\(law) (\(hazards.count == 1 ? hazards[0] : "in \(hazards.count) hazards"))"
    }
    return caught.isEmpty ? "not caught" : caught.joined(separator: ", ")
  }
}
