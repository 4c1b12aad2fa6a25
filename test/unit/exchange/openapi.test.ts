import { describe, expect, it } from 'vitest';
import { ENDPOINTS } from '../../../src/exchange/endpoints/index.ts';
import { openApiDocument } from '../../../src/exchange/openapi.ts';

interface Operation {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: { readonly required: readonly string[] } }>>;
  };
}

const document = openApiDocument({ serviceName: 'house', servers: ['http://localhost:8900'] }) as {
  readonly openapi: string;
  readonly servers: readonly object[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly securitySchemes: Readonly<Record<string, { readonly name: string }>> };
};

describe('openApiDocument', () => {
  it('describes every endpoint once', () => {
    const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
    expect(operations.map((operation) => operation.operationId).sort()).toEqual(Object.keys(ENDPOINTS).sort());
    expect(document.openapi).toBe('3.1.0');
    expect(document.servers).toEqual([{ url: 'http://localhost:8900' }]);
  });

  it('puts path and query fields among the parameters and the others into the body', () => {
    expect(document.paths['/cobank/withdraw/{id}']?.['get']?.parameters).toMatchObject([
      { name: 'id', in: 'path', required: true },
    ]);
    expect(document.paths['/market/stats']?.['get']?.parameters.map((parameter) => parameter.in)).toEqual([
      'query',
      'query',
    ]);
    const body = document.paths['/market/orders/add']?.['post']?.requestBody;
    expect(body?.content['application/json']?.schema.required).toEqual([
      'type',
      'srcCurrency',
      'dstCurrency',
      'amount',
    ]);
  });

  it('names the key headers after the service', () => {
    expect(document.components.securitySchemes['serviceKey']?.name).toBe('House-Key');
    expect(document.paths['/market/orders/add']?.['post']?.security).toHaveLength(2);
    expect(document.paths['/v2/options']?.['get']?.security).toEqual([]);
  });

  it('is JSON', () => {
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
  });
});
