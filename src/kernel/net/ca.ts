import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ConfigError } from '../config/reader.ts';

export function readCa(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    const pem = readFileSync(file, 'utf8');
    const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
    if (!blocks) throw new Error('it holds no certificate');
    // Throws for anything that is not a certificate, which TLS itself would silently ignore.
    blocks.forEach((block) => new X509Certificate(block).subject);
    return pem;
  } catch (error) {
    throw new ConfigError(`WEBHOOK_CA_FILE ${file} cannot be used: ${(error as Error).message}`);
  }
}
