import AggregatorCore
import Asking
import RecordFormats

// Changes by day, and those of one record.

extension Call {
  /// Changes by day, the latest first. Unless the address says since when, they are those of a week.
  func changesPage(of sources: [SourceDescriptor]) async throws -> HTMLPage {
    let isAll = route.verb == nil
    let since = text(.since) ?? "7d"
    let found = try await foundChanges(of: sources, with: ["since": [since]])
    let most = found.limit ?? 200
    let folded = FoldedChanges(found.changes)
    let shown = Array(folded.changes.prefix(most))
    let records = found.changes.byRecord
    let sums = FoundChange.Kind.allCases.map { kind in (kind, records.count { $0[0].kind == kind }) }.filter { $0.1 > 0 }
      .map { "\($0.1) \($0.0.rawValue)" }
    let days = shown.grouped { CalendarDay($0.at) }.map { section(of: $0.key, $0.changes) }
    let folds = folded.folds.map(sentence)
    let times = [("1d", "A day"), ("7d", "A week"), ("30d", "30 days"), ("365d", "A year")]
    let choices = times.map { time, words in Markup.link(words, to: here.with("since", time), isCurrent: since == time) }
    let kinds = ["new", "changed", "gone"].map { kind in
      Markup.link(kind.capitalizedFirst, to: here.toggling(kind, ["true"]), isCurrent: here.has(kind, ["true"]))
    }
    let data = (isAll ? PageAddress("changes").with(query: here.query) : here).with("since", since)
    let forms = [Form.csv, .json, .atom].map { form in
      Markup.link(form.rawValue, to: data.data(as: form).with(FaceParameter.bom.name, form == .csv ? "true" : nil)) + " "
    }
    let more = Markup.link("Show more", to: here.with("limit", String(min(most, 100_000) * 5)))
    return HTMLPage(
      isAll ? "Changes" : "Changes of \(sources[0].name)", at: isAll ? "/-/changes" : nil,
      """
      \(isAll ? "" : heading(of: sources[0]))<h1>Changes</h1>
      <div class="row"><nav aria-label="Time">\(Markup(choices))</nav><nav aria-label="Kinds">\(Markup(kinds))</nav>
      <p class="forms">As \(Markup(forms))</p></div>
      <div id="told" role="status"><p class="state\(" partial", if: found.isPart)"><b>\(plural(records.count, "change"))</b> \
      since \(times.first { $0.0 == since }.map { "\($0.1.lowercased()) ago" } ?? since)\(": ", if: !records.isEmpty)\(sums.joined(separator: ", ")).</p>
      \(listing((found.notices + (isAll ? omissions : [])).map { "\($0)" } + found.errors.map(line) + folds + found.unknown.map { sentence($0.text, remedies([$0.remedy], of: nil)) }))</div>
      \(Markup(days))\("<p class=\"end\">These are the latest \(most) of \(folded.changes.count) changed values. \(more)</p>\n", if: folded.changes.count > most)
      """)
  }

  private func section(of day: CalendarDay, _ changes: [FoundChange]) -> Markup {
    let items = changes.byRecord.map { "<li>\(changed($0, isAlone: false))</li>\n" as Markup }
    return """
      <section class="day"><h2>\("Today, ", if: day == CalendarDay(now))\(day.inWords(at: now))</h2>
      <ul class="changes">
      \(Markup(items))</ul></section>

      """
  }

  private func sentence(_ fold: FoldedChanges.Fold) -> Markup {
    let (before, after) = (fold.before.map(Difference.shownText), fold.after.map(Difference.shownText))
    return """
      \(fold.leaf.shownName) of \(fold.records) \(fold.source) changed \
      \("from <del>\(before ?? "")</del> ", if: before != nil)\("to <ins>\(after ?? "")</ins>", if: after != nil)
      """
  }

  /// An error with its source and its remedies.
  private func line(_ error: SourceError) -> Markup {
    "\(error.source.map { "\($0): " } ?? "")\(interface.bare(error.message)).\(remedies([error.remedy], of: error.source))"
  }

  /// The changes of one record, the latest first. Each leads to the state that it made, which is the one before the next change.
  func timeline(_ changes: [FoundChange]) -> Markup {
    let groups = changes.byRecord
    return Markup(
      groups.indices.map { index in
        let isThere = index > 0 && groups[index][0].kind != .gone
        return changed(groups[index], isAlone: true, until: isThere ? groups[index - 1][0].at : nil)
      })
  }

  /// The changes of one record that a sync saw at one time. If it is known until when they held, their time leads to that state.
  func changed(_ changes: [FoundChange], isAlone: Bool, isDated: Bool = false, until: Moment? = nil) -> Markup {
    let first = changes[0]
    let kind = first.kind == .known ? "first stored" : first.kind.rawValue
    let time = isAlone || isDated ? first.at.minute : String(first.at.minute.dropFirst(11))
    let then =
      until.map { Markup.link(time, to: .record(first.id, of: first.source).with("as-of", $0.iso)) } ?? "\(time)"
    let link = Markup.link(first.title ?? first.id, to: .record(first.id, of: first.source))
    let values = changes.compactMap(\.difference).map { difference -> Markup in
      let (before, after) = Difference.shownTexts(difference.one, difference.other)
      return "<div><dt>\(difference.leaf.path.label)</dt><dd><del>\(before)</del> <ins>\(after)</ins></dd></div>"
    }
    return """
      <div class="change"><span class="kind \(first.kind.rawValue)">\(kind)</span> \
      \("\(link) <span class=\"of\">\(first.source)</span> ", if: !isAlone)\
      \("<time datetime=\"\(first.at.iso)\">\(time)</time>", if: !isAlone)\("\(then)", if: isAlone)\
      \("<dl>\(Markup(values))</dl>", if: !values.isEmpty)</div>

      """
  }
}

extension [FoundChange] {
  /// The changes in groups of those that follow each other and share a key.
  fileprivate func grouped<Key: Equatable>(by key: (FoundChange) -> Key) -> [(key: Key, changes: [FoundChange])] {
    reduce(into: []) { groups, change in
      if groups.last?.key == key(change) {
        groups[groups.count - 1].changes.append(change)
      } else {
        groups.append((key(change), [change]))
      }
    }
  }
}
