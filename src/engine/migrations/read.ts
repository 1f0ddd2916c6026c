import { ZodError } from 'zod';
import type { MigrationFailure, MigrationSource } from '#db/schema/database.ts';
import { json, OutboundError, type Outbound } from '#kernel/net/request.ts';
import { ReadFailure, type Provider } from './provider.ts';

/** The deadline for all pages together. */
const DEADLINE_MS = 30_000;
const MOST_BYTES = 8_388_608;

/** Refusals that are about the key. */
const REFUSED: Readonly<Record<number, MigrationFailure>> = {
  401: 'migration.key_invalid',
  403: 'migration.key_restricted',
};

/** Reads a provider's accounts, or returns why that failed. */
export async function readSource(
  outbound: Pick<Outbound, 'send'>,
  provider: Provider,
  { base, key }: Readonly<{ base: string; key: string }>,
): Promise<MigrationSource | MigrationFailure> {
  const until = performance.now() + DEADLINE_MS;
  const readPath = async (path: string) => {
    const answer = await outbound.send({
      method: 'GET',
      url: base + path,
      headers: { accept: 'application/json', ...provider.authorize(key) },
      purpose: 'migration',
      given: false,
      deadlineMs: Math.max(0, until - performance.now()),
      maxBytes: MOST_BYTES,
      overflow: 'refuse',
      pathTemplate: path.replace(/\?.*/, ''),
    });
    if (answer.status !== 200) throw new ReadFailure(REFUSED[answer.status] ?? 'migration.source_unavailable');
    return json(answer);
  };
  try {
    return await provider.read(readPath);
  } catch (error) {
    if (error instanceof ReadFailure) return error.failure;
    if (error instanceof OutboundError || error instanceof ZodError) return 'migration.source_unavailable';
    throw error;
  }
}
