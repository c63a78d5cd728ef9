// What an app imports beside its sources: worlds, lists for screens, a store, pictures, and a transport for all of Apple's systems.
@_exported public import AggregatorCore
@_exported public import Asking
@_exported public import Feed
@_exported public import Pictures
@_exported public import Store
@_exported public import URLSessionTransport
