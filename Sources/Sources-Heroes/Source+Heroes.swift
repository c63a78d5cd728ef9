public import AggregatorCore
private import HeroesBundle

extension Source<Hero> {
  /// Comic-book characters from Comic Vine.
  public static var heroes: Source {
    Source(
      "heroes", "Comic-book characters, from Comic Vine", settings: [.comicVineURL, .comicVineKey, .comicVineBudget],
      searches: "name, alias, real name, team, publisher and text", mostFound: 1000,
      sample: SourceDescriptor.Sample(text: "spider", id: "batman", other: "spider-man"),
      live: { world in
        let budget = try world.settings.budget(.comicVineBudget, published: .comicVine)
        let client = try world.client(.comicVineURL, keys: [.query("api_key", .comicVineKey)], budget: budget)
        return ComicVine(ComicVineService(client: client))
      },
      bundled: { try RecordList(rows: JSON(bytes(of: heroes_file())).elements, of: Hero.schema) },
      recording: { bytes(of: heroes_recording()) })
  }
}

extension SourceDescriptor {
  /// The same source for the list of a command.
  public static let heroes = SourceDescriptor(Source<Hero>.heroes)
}

extension Setting {
  /// The base address of Comic Vine's API, including the version.
  public static let comicVineURL = Setting(
    "COMIC_VINE_BASE_URL", .address, "base address of Comic Vine's API", default: "https://comicvine.gamespot.com/api/")
  /// The key that Comic Vine gives to each user.
  public static let comicVineKey = Setting("COMIC_VINE_API_KEY", .secret, "your Comic Vine API key")
  /// The request budget for Comic Vine; by default 200 requests an hour for each resource, and one a second.
  public static let comicVineBudget = Setting(
    "COMIC_VINE_BUDGET", .budget, "request budget for Comic Vine", default: Budget.comicVine.description)
}

extension Budget {
  /// The published limit, and the second between requests that Comic Vine's velocity detection requires.
  static let comicVine = Budget([Rate(200, per: .seconds(3600), for: .resource), Rate(1, per: .seconds(1), for: .host)])
}

private func bytes(of file: HeroesFile) -> [UInt8] {
  Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
}
