// A real browser on the built page: what it asks for and complains about is kept.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { preview, type PreviewServer } from 'vite';

const candidates = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export interface Visit {
  page: Page;
  /** Errors of the page and its console. */
  complaints: string[];
  /** Requests that did not go to the page's own server. */
  strangers: string[];
}

export class Site {
  readonly #server: PreviewServer;
  readonly #browser: BrowserContext;
  readonly #profile: string;
  readonly address: string;

  private constructor(server: PreviewServer, browser: BrowserContext, profile: string, address: string) {
    this.#server = server;
    this.#browser = browser;
    this.#profile = profile;
    this.address = address;
  }

  static async open(): Promise<Site> {
    const executablePath = candidates.find((path) => path !== undefined && existsSync(path));
    if (!executablePath) throw new Error('no Chromium: install it (Debian: chromium), or set CHROMIUM');
    const server = await preview({ preview: { host: '127.0.0.1', port: 0 }, logLevel: 'silent' });
    const address = server.resolvedUrls?.local[0];
    if (!address) throw new Error('the server has no address');
    const profile = mkdtempSync(join(tmpdir(), 'warploom-page-'));
    const browser = await chromium.launchPersistentContext(profile, {
      executablePath,
      headless: true,
      viewport: { width: 1280, height: 900 },
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    });
    return new Site(server, browser, profile, address);
  }

  /** A new page at a place of the site, once it is prepared. */
  async visit(hash = '', prepare?: (page: Page) => Promise<void>): Promise<Visit> {
    const page = await this.#browser.newPage();
    await prepare?.(page);
    const complaints: string[] = [];
    const strangers: string[] = [];
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
    });
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(this.address) && !/^(data|blob):/.test(url)) strangers.push(url);
    });
    await page.goto(this.address + hash);
    return { page, complaints, strangers };
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.#server.close();
    rmSync(this.#profile, { recursive: true, force: true });
  }
}
