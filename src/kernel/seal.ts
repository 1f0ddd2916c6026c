import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  hkdfSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto';

/** Encrypts stored secrets with AES-256-GCM; the newest master key encrypts, every key of the ring decrypts. */
export type Sealer = Readonly<{
  /** `context` names table, column and row, so that a value copied to another place cannot be decrypted. */
  seal(plain: string, context: string): string;
  open(sealed: string, context: string): string;
  isNewest(sealed: string): boolean;
  derive(use: string): KeyObject;
  /** Derives a key from every master key, newest first, to accept what was issued before a key rotation. */
  deriveAll(use: string): readonly KeyObject[];
  /** Public ids of the master keys, newest first. */
  keyIds: readonly string[];
}>;

/** No key of the ring can decrypt the value. */
export class SealError extends Error {
  override name = 'SealError';
}

// KeyObjects are six times faster in Node than buffers, and a log cannot show their bytes.
const derived = (master: KeyObject, use: string) =>
  createSecretKey(Buffer.from(hkdfSync('sha256', master, '', 'rostra ' + use, 32)));

/** Makes a sealer from master keys of 64 hex characters each, the newest first. */
export function makeSealer(masterKeys: readonly string[]): Sealer {
  const ring = masterKeys.map((hex) => {
    const bytes = Buffer.from(hex, 'hex');
    const id = createHash('sha256').update('rostra key id').update(bytes).digest('hex').slice(0, 8);
    const master = createSecretKey(bytes);
    return { id, master, key: derived(master, 'seal') };
  });
  const newest = ring[0];
  if (!newest) throw new SealError('no master key');

  return Object.freeze({
    keyIds: Object.freeze(ring.map(({ id }) => id)),
    derive: (use: string) => derived(newest.master, use),
    deriveAll: (use: string) => ring.map(({ master }) => derived(master, use)),
    seal(plain: string, context: string) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', newest.key, iv).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return ['v1', newest.id, Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64')].join('.');
    },
    isNewest: (sealed: string) => sealed.split('.')[1] === newest.id,
    open(sealed: string, context: string) {
      const [version, id, packed] = sealed.split('.');
      const entry = ring.find((candidate) => candidate.id === id);
      if (version !== 'v1' || !packed || !entry) throw new SealError('sealed by a key that is not in the ring');
      const bytes = Buffer.from(packed, 'base64');
      try {
        const decipher = createDecipheriv('aes-256-gcm', entry.key, bytes.subarray(0, 12), { authTagLength: 16 })
          .setAAD(Buffer.from(context))
          .setAuthTag(bytes.subarray(12, 28));
        return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
      } catch (cause) {
        throw new SealError(`the sealed value of ${context} does not open`, { cause });
      }
    },
  });
}

/** Whether a key of the ring can decrypt a value. */
export function opens(sealer: Pick<Sealer, 'open'>, sealed: string, context: string): boolean {
  try {
    sealer.open(sealed, context);
    return true;
  } catch (error) {
    if (error instanceof SealError) return false;
    throw error;
  }
}
