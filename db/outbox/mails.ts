import type { Mail } from '#kernel/mail.ts';
import type { Tx } from '../store/tx.ts';

/** Stores a mail within a transaction; it is sent after the commit. */
export type QueueMail = (tx: Tx, mail: Mail) => Promise<void>;
