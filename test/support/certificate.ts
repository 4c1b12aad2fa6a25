import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A key and a certificate, as files and as texts. */
export interface Certificate {
  readonly keyFile: string;
  readonly file: string;
  readonly key: string;
  readonly cert: string;
}

interface CertificateOptions {
  /** Name of its files in the folder. */
  readonly name: string;
  /** The host that the certificate is for; without it 127.0.0.1. */
  readonly host?: `IP:${string}` | `DNS:${string}`;
  /** The authority that signs it; without it, it is signed by itself. */
  readonly authority?: Certificate;
  /** Start and end of validity, as OpenSSL writes times (`20200101000000Z`); without it two days from now. */
  readonly valid?: readonly [from: string, to: string];
}

const openssl = (...args: readonly string[]): void =>
  void execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });

/** Makes a certificate with the machine's OpenSSL. */
export function makeCertificate(folder: string, options: CertificateOptions): Certificate {
  const { name, host = 'IP:127.0.0.1', authority, valid } = options;
  const [keyFile, file, request, settings] = ['key', 'crt', 'csr', 'cnf'].map((ending) =>
    join(folder, `${name}.${ending}`),
  ) as [string, string, string, string];
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${host}`];
  const fresh = ['req', '-newkey', 'rsa:2048', '-nodes', '-keyout', keyFile, ...subject];
  if (valid === undefined) {
    const by = authority === undefined ? [] : ['-CA', authority.file, '-CAkey', authority.keyFile];
    openssl(...fresh, '-x509', '-days', '2', ...by, '-out', file);
  } else {
    const [from, to] = valid;
    writeFileSync(
      settings,
      `[ca]\ndefault_ca=own\n[own]\ndatabase=${request}.list\nrand_serial=yes\nnew_certs_dir=${folder}\ndefault_md=sha256\npolicy=any\ncopy_extensions=copy\n[any]\ncommonName=supplied\n`,
    );
    writeFileSync(`${request}.list`, '');
    openssl(...fresh, '-out', request);
    openssl(
      'ca',
      '-selfsign',
      '-batch',
      '-notext',
      '-config',
      settings,
      '-keyfile',
      keyFile,
      '-in',
      request,
      '-startdate',
      from,
      '-enddate',
      to,
      '-out',
      file,
    );
  }
  return { keyFile, file, key: readFileSync(keyFile, 'utf8'), cert: readFileSync(file, 'utf8') };
}
