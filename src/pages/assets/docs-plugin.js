/** Changes Swagger UI for the reference. */
import { languages } from './request-samples.js'
import { chosenLanguage } from './samples.js'

/** What the samples need of the request that the form of an operation describes. */
function requestOf({ fn, specSelectors, oas3Selectors }, openapi, path, method) {
  const operation = openapi.paths[path][method]
  const [type] = Object.keys(operation.requestBody?.content ?? {})
  const { url, headers } = fn.buildRequest({
    spec: openapi,
    operationId: operation.operationId,
    pathName: path,
    method,
    parameters: specSelectors.parameterValues([path, method]).toJS(),
    contextUrl: location.href,
  })
  const isHidden = (name) => /^(accept|content-type)$/i.test(name)
  const request = {
    method: method.toUpperCase(),
    url,
    authorized: operation.security?.length > 0,
    headers: Object.entries(headers).filter(([name]) => !isHidden(name)),
  }
  if (type === 'application/json') {
    const text = oas3Selectors.requestBodyValue(path, method) ?? 'null'
    request.headers.push(['Content-Type', type])
    request.json = JSON.parse(text)
  } else if (type === 'multipart/form-data') {
    const { schema } = operation.requestBody.content[type]
    request.form = Object.keys(schema.properties)[0]
  } else if (type) {
    request.headers.push(['Content-Type', 'application/octet-stream'])
    request.isFile = true
  }
  return request
}

/** The parts of Swagger UI that this page replaces or leaves out. */
export function plugin(openapi) {
  return ({ React: { createElement: h, Fragment } }) => {
    const nothing = () => null

    /** The request as a program. It changes with the form. */
    const RequestSamples = ({ path, method, ...system }) => {
      const { operationId } = openapi.paths[path][method]
      const chosen = chosenLanguage() ?? 'sh'
      let request = null
      try {
        request = requestOf(system, openapi, path, method)
      } catch {
        // A required parameter is empty, or the body is not JSON yet.
      }
      const write = (language) =>
        request ? languages[language].write(request) : 'Fill in the form first.'
      const keys = Object.keys(languages)
      return h(
        'fieldset',
        { className: 'samples' },
        h('legend', { className: 'visually-hidden' }, `${operationId}: language`),
        keys.map((key) =>
          h(
            Fragment,
            { key },
            h('input', {
              type: 'radio',
              className: 'visually-hidden',
              id: `${operationId}-${key}`,
              name: operationId,
              value: key,
              defaultChecked: key === chosen,
            }),
            h('label', { htmlFor: `${operationId}-${key}` }, languages[key].name),
          ),
        ),
        h(
          'button',
          { className: 'button small', type: 'button', 'data-copy-sample': '' },
          h('span', null, 'Copy'),
        ),
        keys.map((key) =>
          h('pre', { key, className: 'code', tabIndex: 0 }, h('code', null, write(key))),
        ),
      )
    }

    return {
      components: {
        RequestSamples,
        ReferenceLayout: ({ getComponent }) =>
          h(
            'div',
            { className: 'swagger-ui' },
            h(getComponent('errors', true)),
            h(getComponent('operations', true)),
          ),
        OperationSummaryPath: ({ operationProps }) =>
          h('code', { className: 'code' }, operationProps.get('path')),
        authorizeOperationBtn: nothing,
        CopyToClipboardBtn: nothing,
        TryItOutButton: nothing,
        RequestSnippets: nothing,
      },
      wrapComponents: {
        responses:
          (Responses, { getComponent }) =>
          (props) =>
            h(
              Fragment,
              null,
              h(getComponent('RequestSamples', true), { path: props.path, method: props.method }),
              h(Responses, props),
            ),
      },
    }
  }
}
