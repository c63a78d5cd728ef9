import AggregatorCore

/// How long work takes before its progress is shown.
let progressPatience = Duration.milliseconds(500)

/// How far a walk is: counted from what happens, and said in one line.
struct Progress: Gauge {
  let source: String
  /// How many records are enough, when that is known beforehand.
  let limit: Int?
  let start: Moment
  /// How many had come before this run.
  private let already: Int
  private var rows: Int
  private var total: Int?
  private var activity: Activity?

  private enum Activity {
    case asking(String)
    case waiting(until: Moment, because: String)
  }

  init(source: String, limit: Int?, already: Int = 0, start: Moment) {
    self.source = source
    self.limit = limit
    self.start = start
    self.already = already
    rows = already
  }

  mutating func note(_ event: Event, at now: Moment) {
    switch event {
    case .pageRead(_, let rows, let total, _):
      self.rows += rows
      // What is announced may be anything: less than nothing is nothing that was announced.
      self.total = total.flatMap { $0 >= 0 ? $0 : nil } ?? self.total
      activity = nil
    case .requestSent(let request): activity = .asking(request.address.host)
    case .waiting(let wait, let reason): activity = .waiting(until: now + wait, because: reason)
    case .fellBack: activity = nil
    case .responseReceived, .requestFailed, .lookBackRefused, .rowSkipped, .rowsSkipped, .rowsCleaned, .noticed: break
    }
  }

  /// `heroes: 3400 of 151969, 820/s, 3 min 1 s left`; nil while it is too early to say anything.
  func line(at now: Moment) -> String? {
    let elapsed = now - start
    guard elapsed >= progressPatience else { return nil }
    // One time in one line: how long is left of a wait, else how long it has taken.
    if case .waiting(let end, let reason) = activity {
      let count = rows > already ? "\(rows)\(goal.map { " of \($0)" } ?? ""), " : ""
      return "\(source): \(count)waiting \(max(.zero, end - now).inWords): \(reason)"
    }
    guard rows > already else {
      if case .asking(let host) = activity { return "\(source): asking \(host), \(elapsed.inWords)" }
      return "\(source): working, \(elapsed.inWords)"
    }
    var parts = [goal.map { "\(rows) of \($0)" } ?? "\(rows)"]
    let rate = Double(rows - already) / elapsed.inSeconds
    parts.append(rate < 10 ? "\(Double(Int(rate * 10)) / 10)/s" : "\(Int(rate))/s")
    if let goal, goal > rows, rate > 0 { parts.append("\(Duration.seconds(clamping: Double(goal - rows) / rate).inWords) left") }
    return "\(source): " + parts.joined(separator: ", ")
  }

  /// How many there will be. Where more is read than was asked for, the walk picks from it, and only the total counts.
  private var goal: Int? { [limit.flatMap { $0 >= rows ? $0 : nil }, total].compactMap { $0 }.min() }
}
