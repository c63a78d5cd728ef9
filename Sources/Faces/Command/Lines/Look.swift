package import AggregatorCore
import Services

/// The present sources and settings, as a server looks at them again and again: a manifest may come, change or go, and a key be set.
package struct Look: Sendable {
  private let invocation: Invocation

  package init(_ invocation: Invocation) { self.invocation = invocation }

  package func now() throws -> (Catalogue, Settings) {
    var invocation = invocation
    let reserved = CommandTable.reserved
    let builtIn = try Catalogue(invocation.program.catalogue.builtIn, reserved: reserved)
    invocation.program.catalogue = builtIn.adding(invocation.program.manifests, reserved: reserved)
    let settings = try invocation.readSettings()
    // A command that was saved meanwhile runs beside the answers. Those that need its key say so until then.
    if !settings.waitingCommands.isEmpty {
      Task { [invocation] in try? await invocation.fetchingKeys(settings, of: invocation.program.catalogue.sources) }
    }
    return (invocation.program.catalogue, settings)
  }
}
