import type { Links } from '#kernel/config/links.ts';
import { GRANT_TYPES, RESPONSE_TYPES, SCOPE, SECRET_METHOD, type OAuthOptions } from './constants.ts';

/** Protected resource metadata (RFC 9728): of the server, or its MCP endpoint. */
export function resourceMetadata(rootUrl: string, path: '' | '/mcp', { privacy, terms, support }: Links = {}) {
  return Object.freeze({
    resource: `${rootUrl}${path}`,
    authorization_servers: [rootUrl],
    bearer_methods_supported: ['header'],
    scopes_supported: [SCOPE],
    ...(support !== undefined && { resource_documentation: support }),
    ...(privacy !== undefined && { resource_policy_uri: privacy }),
    ...(terms !== undefined && { resource_tos_uri: terms }),
  });
}

/** Authorization server metadata (RFC 8414): docs/contract/access.md#oauth-server. */
export function serverMetadata(rootUrl: string, options: OAuthOptions, { privacy, terms, support }: Links = {}) {
  return Object.freeze({
    issuer: rootUrl,
    authorization_endpoint: `${rootUrl}/oauth/authorize`,
    token_endpoint: `${rootUrl}/oauth/token`,
    registration_endpoint: `${rootUrl}/oauth/register`,
    revocation_endpoint: `${rootUrl}/oauth/revoke`,
    response_types_supported: RESPONSE_TYPES,
    grant_types_supported: GRANT_TYPES,
    // Clients with a metadata document have no secret, and check for `none` first.
    token_endpoint_auth_methods_supported: options.clientIdMetadata ? [SECRET_METHOD, 'none'] : [SECRET_METHOD],
    code_challenge_methods_supported: ['S256'],
    scopes_supported: [SCOPE],
    ...(support !== undefined && { service_documentation: support }),
    ...(privacy !== undefined && { op_policy_uri: privacy }),
    ...(terms !== undefined && { op_tos_uri: terms }),
    ...(options.iss && { authorization_response_iss_parameter_supported: true }),
    ...(options.clientIdMetadata && { client_id_metadata_document_supported: true }),
  });
}
