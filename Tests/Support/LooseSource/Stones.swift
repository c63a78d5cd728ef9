public import AggregatorCore

/// A source whose fields are known only when it runs, and have names that a person would hardly choose.
public struct Stones: DataSource {
  public let profile = Profile("stones", paging: .offset(size: 4, end: .total))
  public let schema: Schema<LooseRecord>
  let client: Client

  public func page(_ request: PageRequest) async throws -> Page<LooseRecord> {
    let place = try request.place(in: self)
    let body = try await client.json("stones", ["offset": "\(place.number)", "limit": "\(place.size)"])
    return try Page(of: self, rows: body.array("rows"), total: body.int("total"))
  }
}

extension Stones {
  /// The fields, read when the source is made; a file would list the same.
  public static let fields = [
    LooseField("no.", .integer, width: .whole),
    LooseField("it's", role: .title, searchable: true),
    LooseField("address.city", searchable: true),
    LooseField("address", .part([LooseField("city"), LooseField("zip code"), LooseField("zip.code", .integer)])),
    LooseField("two words", .bool), LooseField("🪨", .number),
    LooseField("select", role: .badge),
    LooseField(#"say "hi""#, .list(of: .text), searchable: true),
    LooseField("a,b"),
    LooseField(#"back\slash"#),
    LooseField("fetched_at"),
    LooseField("'; DROP TABLE fetch_log; --", .any),
    LooseField(" blank "),
  ]

  /// The names of the fields as a person reads them.
  public static let names = [
    #"no\."#, "it's", #"address\.city"#, "address.city", "address.zip code", #"address.zip\.code"#, "two words", "🪨", "select",
    #"say "hi""#, #"a\,b"#, #"back\\slash"#, "fetched_at", "'; DROP TABLE fetch_log; --", #"\ blank\ "#,
  ]

  private static let stones = ["Basalt", "Çakıl", "Dolerit", "Flint", "Gneis", "Jade", "Onyx"]

  /// The number of rows.
  public static let count = stones.count

  /// Returns rows as the service writes them: with every field, except the second row, which has only its number and its name.
  public static func rows(_ range: Range<Int>) -> [String] {
    range.map { row in
      let name = #""no.":\#(row),"it's":"\#(stones[row])""#
      return row == 1
        ? "{\(name)}"
        : #"{\#(name),"address.city":"Århus \#(row)","address":{"city":"Oslo","zip code":"0470","zip.code":\#(row)},"two words":true,"#
          + #""🪨":2.5,"select":"S\#(row)","say \"hi\"":["hi","ho"],"a,b":"x, y","back\\slash":"\\","fetched_at":"dawn","#
          + #""'; DROP TABLE fetch_log; --":{"deep":[1]}," blank ":"b"}"#
    }
  }

  /// Returns the answer to a request for a part of the rows.
  public static func answer(offset: Int, limit: Int) -> String {
    let start = min(max(0, offset), count)
    return #"{"rows":[\#(rows(start..<min(count, start + limit)).joined(separator: ","))],"total":\#(count)}"#
  }

  public static func schema() throws -> Schema<LooseRecord> { try Schema(fields, id: #"no\."#) }

  public static func descriptor() throws -> SourceDescriptor {
    let schema = try schema()
    return Source(
      "stones", "Stones of the world", of: schema, settings: [url], searches: "name or city",
      live: { Stones(schema: schema, client: try $0.client(url)) },
      bundled: { try RecordList(rows: rows(0..<3).map { try JSON(Array($0.utf8)) }, of: schema) }
    ).descriptor
  }

  private static let url = Setting("STONES_URL", .address, "where the stones are", default: "https://stones.example/api/")
}
