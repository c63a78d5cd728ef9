import Testing

@testable import Serve
