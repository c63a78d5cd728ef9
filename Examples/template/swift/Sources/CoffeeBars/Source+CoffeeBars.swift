import AggregatorCore

extension Source<CoffeeBar> {
  /// CoffeeBars of api.coffee-bars.example.
  public static var coffeeBars: Source {
    Source(
      "coffee-bars", "CoffeeBars of api.coffee-bars.example", settings: [.coffeeBarsURL, .coffeeBarsBudget], searches: "name, note or tags",
      live: { world in
        let budget = try world.settings.budget(.coffeeBarsBudget, published: Budget([Budget.Rate(5, per: .seconds(1))]))
        return CoffeeBarsService(client: try world.client(.coffeeBarsURL, budget: budget))
      })
  }
}

extension SourceDescriptor {
  /// The source for the list of a command.
  public static let coffeeBars = Source<CoffeeBar>.coffeeBars.descriptor
}

extension Setting {
  public static let coffeeBarsURL = Setting(
    "COFFEE_BARS_URL", .address, "base address of the service", default: "https://api.coffee-bars.example/v1/")
  public static let coffeeBarsBudget = Setting("COFFEE_BARS_BUDGET", .budget, "request budget for api.coffee-bars.example", default: "5/1s")
}
