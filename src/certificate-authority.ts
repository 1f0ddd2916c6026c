import 'reflect-metadata';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { randomBytes, webcrypto } from 'node:crypto';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DAY } from '#kernel/clock.ts';

const { subtle } = webcrypto;
const EC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const LIFE = 3650 * DAY;
/** An authority this close to its expiry is replaced before it can expire under a running server. */
const MARGIN = 30 * DAY;
/** Clocks differ; a certificate from the future would be refused. */
const SKEW = DAY;

export type CertificateAuthority = Readonly<{
  certFile: string;
  certificate: X509Certificate;
  key: webcrypto.CryptoKey;
}>;

/** The CA in `folder`, created if missing, unreadable or about to expire; its key has owner-only access. */
export async function openCertificateAuthority(folder: string, now: number): Promise<CertificateAuthority> {
  const certFile = join(folder, 'receiver-ca.pem');
  const keyFile = join(folder, 'receiver-ca-key.pem');
  const kept = await readCertificateAuthority(certFile, keyFile, now);
  if (kept !== undefined) return kept;

  const keys = await subtle.generateKey(EC, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: `CN=Rostra throw-away CA ${randomBytes(4).toString('hex')}`,
    serialNumber: serial(),
    notBefore: new Date(now - SKEW),
    notAfter: new Date(now + LIFE),
    keys,
    signingAlgorithm: EC,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  await mkdir(folder, { recursive: true });
  await replace(keyFile, await keyPem(keys.privateKey), 0o600);
  await replace(certFile, `${certificate.toString('pem')}\n`, 0o644);
  return Object.freeze({ certFile, certificate, key: keys.privateKey });
}

/** A server certificate for loopback names, valid as long as its CA. */
export async function issueLeaf(
  authority: CertificateAuthority,
  now: number,
): Promise<Readonly<{ cert: string; key: string }>> {
  const keys = await subtle.generateKey(EC, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.create({
    subject: 'CN=localhost',
    issuer: authority.certificate.subject,
    serialNumber: serial(),
    notBefore: new Date(now - SKEW),
    notAfter: authority.certificate.notAfter,
    publicKey: keys.publicKey,
    signingKey: authority.key,
    signingAlgorithm: EC,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      await AuthorityKeyIdentifierExtension.create(authority.certificate.publicKey),
      new SubjectAlternativeNameExtension([
        { type: 'dns', value: 'localhost' },
        { type: 'ip', value: '127.0.0.1' },
        { type: 'ip', value: '::1' },
      ]),
    ],
  });
  return Object.freeze({ cert: certificate.toString('pem'), key: await keyPem(keys.privateKey) });
}

async function readCertificateAuthority(
  certFile: string,
  keyFile: string,
  now: number,
): Promise<CertificateAuthority | undefined> {
  try {
    const certificate = new X509Certificate(await readFile(certFile, 'utf8'));
    const der = PemConverter.decodeFirst(await readFile(keyFile, 'utf8'));
    const key = await subtle.importKey('pkcs8', der, EC, true, ['sign']);
    await chmod(keyFile, 0o600);
    const alive = certificate.notAfter.getTime() > now + MARGIN;
    return alive && (await isPair(certificate, key)) ? Object.freeze({ certFile, certificate, key }) : undefined;
  } catch {
    return undefined;
  }
}

async function isPair(certificate: X509Certificate, key: webcrypto.CryptoKey): Promise<boolean> {
  const probe = randomBytes(16);
  const publicKey = await certificate.publicKey.export(EC, ['verify']);
  return subtle.verify(EC, publicKey as webcrypto.CryptoKey, await subtle.sign(EC, key, probe), probe);
}

/** Positive and at most 16 bytes, as RFC 5280 requires. */
function serial(): string {
  return `00${randomBytes(15).toString('hex')}`;
}

async function keyPem(key: webcrypto.CryptoKey): Promise<string> {
  return `${PemConverter.encode(await subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`;
}

async function replace(file: string, text: string, mode: number): Promise<void> {
  const fresh = `${file}.${randomBytes(4).toString('hex')}`;
  await writeFile(fresh, text, { mode, flag: 'wx' });
  await rename(fresh, file);
}
