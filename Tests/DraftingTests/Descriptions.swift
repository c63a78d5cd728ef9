import AggregatorCore
import Testing

@testable import Authoring

/// Descriptions in the shapes of well-known ones.
enum Description {
  static func document(_ text: String) throws -> OpenAPIDocument { try OpenAPIDocument(JSON(Array(text.utf8)), called: "api.json") }

  /// A last row leads on, `has_more` says whether; references in circles, forms, two ways to send the key.
  static let payments = """
    {"openapi": "3.0.0", "info": {"title": "Stripe API", "version": "2026-01-01"}, "servers": [{"url": "https://api.stripe.com/"}],
     "security": [{"basicAuth": []}, {"bearerAuth": []}],
     "paths": {"/v1/customers": {
      "get": {"description": "<p>Returns a list of your customers.</p> Sorted by creation.", "operationId": "GetCustomers",
       "parameters": [
        {"in": "query", "name": "created", "schema": {"anyOf": [{"type": "object", "properties": {"gt": {"type": "integer"}}}, {"type": "integer"}]}},
        {"in": "query", "name": "email", "schema": {"type": "string", "maxLength": 512}},
        {"in": "query", "name": "ending_before", "schema": {"type": "string"}},
        {"in": "query", "name": "expand", "schema": {"type": "array", "items": {"type": "string"}}},
        {"in": "query", "name": "limit", "schema": {"type": "integer"}},
        {"in": "query", "name": "starting_after", "schema": {"type": "string"}}],
       "requestBody": {"content": {"application/x-www-form-urlencoded": {"schema": {"type": "object", "properties": {}}}}},
       "responses": {"200": {"description": "ok", "content": {"application/json": {"schema": {"type": "object",
        "required": ["data", "has_more"], "properties": {
         "data": {"type": "array", "items": {"$ref": "#/components/schemas/customer"}}, "has_more": {"type": "boolean"},
         "object": {"type": "string", "enum": ["list"]}, "url": {"type": "string", "pattern": "^/v1/customers"}}}}}},
        "default": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/error"}}}}}},
      "post": {"requestBody": {"content": {"application/x-www-form-urlencoded": {"schema": {"type": "object"}}}}, "responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/customer"}}}}}}},
      "/v1/customers/{customer}/sources": {"get": {"parameters": [{"in": "path", "name": "customer", "required": true, "schema": {"type": "string"}}],
       "responses": {"200": {"content": {"application/json": {"schema": {"type": "object", "properties": {"data": {"type": "array", "items": {"$ref": "#/components/schemas/customer"}}}}}}}}}},
      "/v1/customers/{customer}": {"get": {"responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/customer"}}}}}}}},
     "components": {"securitySchemes": {"basicAuth": {"type": "http", "scheme": "basic"}, "bearerAuth": {"type": "http", "scheme": "bearer"}},
      "schemas": {
       "customer": {"type": "object", "required": ["id", "created"], "properties": {
        "address": {"anyOf": [{"$ref": "#/components/schemas/address"}], "nullable": true},
        "balance": {"type": "integer", "description": "The current balance, if any. Negative is credit."},
        "created": {"type": "integer", "format": "unix-time"}, "email": {"type": "string", "nullable": true}, "id": {"type": "string"},
        "livemode": {"type": "boolean"}, "metadata": {"type": "object", "additionalProperties": {"type": "string"}},
        "name": {"type": "string"}, "object": {"type": "string", "enum": ["customer"]},
        "subscriptions": {"type": "object", "properties": {"data": {"type": "array", "items": {"$ref": "#/components/schemas/subscription"}}}}}},
       "subscription": {"type": "object", "properties": {"customer": {"anyOf": [{"$ref": "#/components/schemas/customer"}]}}},
       "address": {"type": "object", "properties": {"city": {"type": "string"}, "country": {"type": "string"}}},
       "error": {"type": "object", "properties": {"error": {"type": "object"}}}}}}
    """

  /// Parameters and headers by reference, bare arrays, pages by number beside a Link header, a search that has to have a text.
  static let repositories = """
    {"openapi": "3.0.3", "info": {"title": "GitHub v3 REST API", "version": "1.1.4"}, "servers": [{"url": "https://api.github.com"}],
     "paths": {
      "/user/repos": {"get": {"summary": "List repositories for the authenticated user", "parameters": [
        {"name": "sort", "in": "query", "schema": {"type": "string", "enum": ["created", "updated"], "default": "created"}},
        {"$ref": "#/components/parameters/per-page"}, {"$ref": "#/components/parameters/page"}],
       "responses": {"200": {"content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/repository"}}}},
        "headers": {"Link": {"$ref": "#/components/headers/link"}}}, "304": {"$ref": "#/components/responses/not_modified"}}}},
      "/gists": {"get": {"summary": "List gists", "parameters": [{"$ref": "#/components/parameters/per-page"}, {"$ref": "#/components/parameters/page"}],
       "responses": {"200": {"content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/repository"}}}}}}}},
      "/search/repositories": {"get": {"parameters": [{"name": "q", "in": "query", "required": true, "schema": {"type": "string"}}, {"$ref": "#/components/parameters/page"}],
       "responses": {"200": {"content": {"application/json": {"schema": {"type": "object", "properties": {"total_count": {"type": "integer"}, "incomplete_results": {"type": "boolean"},
        "items": {"type": "array", "items": {"$ref": "#/components/schemas/repository"}}}}}}}}}},
      "/repos/{owner}/{repo}/issues": {"get": {"parameters": [{"$ref": "#/components/parameters/page"}],
       "responses": {"200": {"content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/repository"}}}}}}}}},
     "components": {"parameters": {
       "page": {"name": "page", "in": "query", "schema": {"type": "integer", "default": 1}},
       "per-page": {"name": "per_page", "in": "query", "description": "The number of results per page (max 100).", "schema": {"type": "integer", "default": 30}}},
      "headers": {"link": {"schema": {"type": "string"}}}, "responses": {"not_modified": {"description": "Not modified"}},
      "schemas": {
       "base": {"type": "object", "properties": {"id": {"type": "integer", "format": "int64"}, "node_id": {"type": "string"}}},
       "repository": {"allOf": [{"$ref": "#/components/schemas/base"}, {"type": "object", "properties": {
        "name": {"type": "string", "description": "The name of the repository."}, "private": {"type": "boolean"},
        "owner": {"nullable": true, "allOf": [{"type": "object", "properties": {"login": {"type": "string"}, "avatar_url": {"type": "string", "format": "uri"}}}]},
        "html_url": {"type": "string", "format": "uri"}, "description": {"type": "string", "nullable": true}, "topics": {"type": "array", "items": {"type": "string"}},
        "pushed_at": {"type": "string", "format": "date-time"}, "score": {"type": "number"}}}]}}}}
    """

  /// The service is a path beside the description; XML beside JSON; a value that has to be chosen; keys by OAuth and in a header.
  static let pets = """
    {"openapi": "3.1.0", "info": {"title": "Swagger Petstore", "version": "1.0.17"}, "servers": [{"url": "/api/v3"}],
     "paths": {
      "/pet/findByStatus": {"get": {"tags": ["pet"], "summary": "Finds Pets by status", "parameters": [
        {"name": "status", "in": "query", "required": true, "schema": {"type": "string", "default": "available", "enum": ["available", "pending", "sold"]}}],
       "responses": {"200": {"content": {"application/xml": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}}},
        "application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}}}}}},
       "security": [{"petstore_auth": ["read:pets"]}]}},
      "/pet/findByTags": {"get": {"parameters": [{"name": "tags", "in": "query", "required": true, "schema": {"type": "array", "items": {"type": "string"}}}],
       "responses": {"200": {"content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}}}}}}}},
      "/store/inventory": {"get": {"responses": {"200": {"content": {"application/json": {"schema": {"type": "object", "additionalProperties": {"type": "integer"}}}}}}}},
      "/store/orders/search": {"post": {"summary": "Orders", "requestBody": {"content": {"application/json": {"schema": {"type": "object", "required": ["version"], "properties": {
         "text": {"type": "string"}, "version": {"type": "integer", "default": 2},
         "page": {"type": "object", "properties": {"offset": {"type": "integer", "minimum": 0}, "limit": {"type": "integer", "maximum": 500}}}}}}}},
       "responses": {"200": {"content": {"application/vnd.pets+json": {"schema": {"type": "object", "properties": {"meta": {"type": "object", "properties": {"total": {"type": "integer"}}},
         "results": {"type": "array", "items": {"type": "object", "properties": {"orderId": {"type": "integer"}, "shipDate": {"type": ["string", "null"], "format": "date"}}}}}}}}}},
       "security": [{"api_key": []}]}},
      "/user/createWithList": {"post": {"requestBody": {"content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}}}}},
       "responses": {"200": {"content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}}}}}}}}},
     "components": {"securitySchemes": {"petstore_auth": {"type": "oauth2", "flows": {}}, "api_key": {"type": "apiKey", "name": "api_key", "in": "header"}},
      "schemas": {"Pet": {"required": ["name", "photoUrls"], "properties": {"id": {"type": "integer", "examples": [10]},
       "category": {"$ref": "#/components/schemas/Category"}, "name": {"type": "string"}, "photoUrls": {"type": "array", "items": {"type": "string"}},
       "tags": {"type": "array", "items": {"$ref": "#/components/schemas/Category"}}, "status": {"type": "string", "enum": ["available", "pending", "sold"]}}},
       "Category": {"type": "object", "properties": {"id": {"type": "integer"}, "name": {"type": "string"}}}}}}
    """
}
