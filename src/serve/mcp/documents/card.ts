import type { Toolset } from '#call/tool.ts';
import type { Links } from '#kernel/config/links.ts';
import { LEGACY_VERSIONS, META, MODERN_VERSIONS } from '../json-rpc.ts';

/** The server's description, as in the repository's `server-card.json`. */
export type Card = Readonly<{
  $schema: string;
  name: string;
  title: string;
  version: string;
  description: string;
}>;

export function serverInfoOf({ name, title, version, description }: Card) {
  return Object.freeze({ name, title, version, description });
}

export function cardOf(card: Card, rootUrl: string, toolsets: readonly Toolset[], links: Links = {}): object {
  const versions = [...MODERN_VERSIONS, ...LEGACY_VERSIONS];
  return {
    ...card,
    websiteUrl: rootUrl,
    remotes: [
      {
        type: 'streamable-http',
        url: `${rootUrl}/mcp`,
        supportedProtocolVersions: versions,
        headers: [
          {
            name: 'Authorization',
            description: 'Bearer and an API key. Clients that sign in by OAuth set it themselves.',
            isRequired: true,
            isSecret: true,
          },
        ],
      },
    ],
    // Members of an earlier draft of the card, which crawlers still read.
    serverInfo: serverInfoOf(card),
    protocolVersion: LEGACY_VERSIONS[0],
    transport: { type: 'streamable-http', endpoint: '/mcp' },
    authentication: { required: true, schemes: ['bearer', 'oauth2'] },
    _meta: {
      [META.toolsets]: toolsets.map(({ id, title, description }) => ({ id, title, description })),
      ...(Object.values(links).some((link) => link !== undefined) && { [META.links]: links }),
    },
  };
}
