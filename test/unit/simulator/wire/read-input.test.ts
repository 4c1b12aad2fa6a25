import { expect, test } from 'vitest';
import { readMultipart } from '../../../../src/simulator-server/wire/request-fields.ts';

const TYPE = 'multipart/form-data; boundary=abc';
const part = (name: string, value: string): string =>
  `--abc\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

test('reads the fields in their order, whatever their values hold', () => {
  const values = ['buy', '', 'two\r\nlines', 'x--abc', ' --abc--', 'سفارش'];
  const body = `${values.map((value, index) => part(`f${index}`, value)).join('')}--abc--\r\n`;
  expect(readMultipart(body, TYPE)).toEqual(values.map((value, index) => [`f${index}`, value]));
});

test.each([
  ['no field', '--abc--\r\n', []],
  ['a preamble and an epilogue', `before\r\n${part('a', '1')}--abc--\r\nafter`, [['a', '1']]],
  [
    'a file as its text',
    '--abc\r\nContent-Type: text/plain\r\ncontent-disposition: form-data; name=a; filename="x.txt"\r\n\r\n1\r\n--abc--',
    [['a', '1']],
  ],
])('reads %s', (_, body, fields) => {
  expect(readMultipart(body, TYPE)).toEqual(fields);
});

test('a quoted boundary is one', () => {
  expect(
    readMultipart(`${part('a', '1')}--abc--`, 'multipart/form-data; charset=utf-8; Boundary="abc"'),
  ).toEqual([['a', '1']]);
});

test.each([
  ['without a boundary', `${part('a', '1')}--abc--`, 'multipart/form-data'],
  ['with another boundary', `${part('a', '1')}--abc--`, 'multipart/form-data; boundary=other'],
  ['that does not end', part('a', '1'), TYPE],
  ['with a part without a name', '--abc\r\nContent-Type: text/plain\r\n\r\n1\r\n--abc--', TYPE],
  ['with a part without a value', '--abc\r\nContent-Disposition: form-data; name="a"\r\n--abc--', TYPE],
])('a body %s is none', (_, body, type) => {
  expect(readMultipart(body, type)).toBeNull();
});
