import AggregatorCore
import Platform
import Store

/// Uses a store in another process, for a test or for a person who measures.
///
///     store-probe import STORE FILE.ndjson      how long an import takes
///     store-probe sync STORE COUNT              how long a sync takes, without a network
///     store-probe search STORE TEXT             the first 50
///     store-probe land STORE                    lands batches for ever, a line for each
///     store-probe next STORE                    takes records one by one, a line for each
///     store-probe reserve FOLDER COUNT          takes slots of a budget, a line for each
let arguments = Array(CommandLine.arguments.dropFirst())
let clock = SystemTime()

guard arguments.count >= 2 else {
  print("usage: store-probe import|sync|search|land|next|reserve STORE …")
  exit(64)
}
let store = SQLiteStore(at: arguments[1])
let people = Archive<Person>("users", in: store)

switch arguments[0] {
case "import": try await measureImport(arguments[2])
case "sync": try await measureSync(Int(arguments[2]) ?? 0)
case "search": try await search(arguments[2])
case "land": try await landForEver()
case "next": try await next()
case "reserve": try await reserve(Int(arguments[2]) ?? 0)
default: exit(64)
}

func measureImport(_ path: String) async throws {
  guard let file = fopen(path, "r") else { exit(74) }
  var intake = people.intake()
  var chunk = [UInt8](repeating: 0, count: 1 << 20)
  var kept: [UInt8] = []
  while true {
    let count = fread(&chunk, 1, chunk.count, file)
    guard count > 0 else { break }
    kept.append(contentsOf: chunk[..<count])
    guard let end = kept.lastIndex(of: 10) else { continue }
    var people: [Person] = []
    for line in kept[..<end].split(separator: 10) { people.append(try Person(JSON(Array(line)), as: .own)) }
    kept.removeFirst(end + 1)
    try await intake.add(people, from: Fetch(at: clock.now, request: "import", place: "file"))
  }
  print(try await intake.finish())
}

func measureSync(_ count: Int) async throws {
  print(try await Syncing(Numbered(total: count), into: people, clock: clock).run())
}

struct Numbered: DataSource {
  let profile = Profile("numbered", paging: .offset(size: 100, end: .total))
  let total: Int

  func page(_ request: PageRequest) async throws -> Page<Person> {
    let place = try request.place(in: self)
    let deck = String(repeating: "Power of cosmic world hero engine battle. ", count: 15)
    let rows = (place.number..<min(total, place.number + place.size)).map { Person(number: $0, saying: deck) }
    return Page(of: self, rows, total: total)
  }
}

func search(_ text: String) async throws {
  var walk = Walk(people.records(clock: clock), .matching(text), bounds: Bounds(limit: 50), clock: clock)
  while let items = try await walk.nextPage() {
    for person in items { print(person.email, person.name.first, person.name.last) }
  }
}

func landForEver() async throws {
  var number = try await store.snapshot().census(of: people.kind).count
  while true {
    let batch = (number..<number + 50).map { Person(number: $0) }
    try await people.land(batch, from: Fetch(at: clock.now, request: "land", place: "\(number)"))
    number += 50
    print(number)
    fflush(nil)
  }
}

/// Sends requests that take no time, under a budget of five in ten milliseconds. Prints when each was sent and answered.
func reserve(_ count: Int) async throws {
  let log = RequestLog(in: arguments[1])
  for _ in 0..<count {
    let ticket = BudgetTicket([("test", Budget.Rate(5, per: .milliseconds(10)))])
    while true {
      let now = clock.now
      guard case .taken(let moment) = try await log.reserve(ticket, at: now, noLaterThan: now + .seconds(3600)), moment > now else { break }
      usleep(UInt32((moment - now).inSeconds * 1_000_000))
    }
    let sent = clock.now
    let answered = clock.now
    await log.finish(ticket, at: answered)
    print(nanoseconds(sent), nanoseconds(answered))
  }
}

func nanoseconds(_ moment: Moment) -> Int {
  moment.seconds * 1_000_000_000 + Int(moment.sinceEpoch.components.attoseconds / 1_000_000_000)
}

/// Takes records one by one, and prints each, until none is left.
func next() async throws {
  while let person = try await people.take(1).items.first {
    print(person.email)
    fflush(nil)
  }
}

/// A person, with enough fields to be as large as a real record.
struct Person: Record {
  var email = ""
  var name = Name()
  var gender: String?
  var nat: String?
  var phone: String?

  var id: String { email }

  struct Name: Part {
    var title: String?
    var first = ""
    var last = ""

    static let fields: [Field<Name>] = [Field("title", \.title), Field("first", \.first), Field("last", \.last)]
  }

  static let fields: [Field<Person>] = [
    Field("email", \.email, searchable: true),
    Field("name", \.name, .title, searchable: true),
    Field("gender", \.gender),
    Field("nat", \.nat),
    Field("phone", \.phone),
  ]
}

extension Person {
  /// Makes the person of this number, always the same.
  init(number: Int, saying phone: String? = nil) {
    email = "person.\(number)@example.org"
    name = Name(title: nil, first: "First\(number)", last: "Last\(number % 97)")
    gender = number.isMultiple(of: 2) ? "female" : "male"
    nat = "NZ"
    self.phone = phone
  }
}
