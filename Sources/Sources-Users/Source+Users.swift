public import AggregatorCore
private import UsersBundle

extension Source<User> {
  /// Invented people, as many as requested.
  public static var users: Source {
    Source(
      "users", "Invented people, from randomuser.me", settings: [.randomUserURL, .randomUserBudget],
      searches: "first name, surname or e-mail",
      sample: SourceDescriptor.Sample(text: "mia", id: "mia.wattle@example.com", other: "olive.harrow@example.com"),
      paging: RandomUserService.paging,
      live: { world in
        RandomUserService(
          client: try world.client(.randomUserURL, budget: world.settings.budget(.randomUserBudget, published: .randomUser)),
          seed: Seed(world))
      },
      bundled: { try RecordList(rows: JSON(bytes(of: users_file())).elements, of: User.schema) },
      recording: { bytes(of: users_recording()) })
  }
}

extension SourceDescriptor {
  /// The same source for the list of a command.
  public static let users = SourceDescriptor(Source<User>.users)
}

extension Setting {
  /// The base address of randomuser.me's API, including the version.
  public static let randomUserURL = Setting(
    "RANDOM_USER_BASE_URL", .address, "base address of randomuser.me's API", default: "https://randomuser.me/api/1.4/")
  /// The request budget for randomuser.me; by default 400 requests in five minutes.
  public static let randomUserBudget = Setting(
    "RANDOM_USER_BUDGET", .budget, "request budget for randomuser.me", default: Budget.randomUser.description)
}

extension Budget {
  /// The service allows 20,000 people in five minutes, which is 400 pages of 50.
  static let randomUser = Budget([Rate(400, per: .seconds(300))])
}

private func bytes(of file: UsersFile) -> [UInt8] {
  Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
}
