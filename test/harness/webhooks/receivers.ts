import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort } from '../sockets.ts';
import { receiverCertificates } from './receiver.ts';

export type Receivers = Awaited<ReturnType<typeof startReceivers>>;

/** Starts receivers of several kinds in a process of their own; the slow ones take so long. */
export async function startReceivers({ slowMs = 450 } = {}) {
  const { key, cert } = receiverCertificates;
  const child = fork(fileURLToPath(new URL('receiver-process.ts', import.meta.url)));
  const told = async <T>() => (await once(child, 'message'))[0] as T;
  child.send({ key, cert, slowMs });
  const { port } = await told<{ port: number }>();
  return Object.freeze({
    /** The address under which deliveries are taken (`ok`), taken late, or reset, or refused once each. */
    url: (kind: 'ok' | 'slow' | 'reset' | 'flaky') => `https://localhost:${port}/${kind}`,
    /** How many different deliveries came, by path. */
    async seen() {
      child.send('seen');
      return (await told<{ seen: Record<string, number> }>()).seen;
    },
    async close() {
      const gone = once(child, 'exit');
      child.disconnect();
      await gone;
    },
  });
}

/** An address nobody listens at any more. */
export async function deadUrl(): Promise<string> {
  return `https://localhost:${await freePort()}/dead`;
}
