// An app imports this one module: sources and worlds, lists for its screens, a store, pictures, and a transport that every system of Apple's has.
@_exported public import AggregatorCore
@_exported public import Asking
@_exported public import Feed
@_exported public import Pictures
@_exported public import Store
@_exported public import URLSessionTransport
