//! The fields of Swagger 2 whose types are checked.

use super::{Record, Shape};

/// A record whose type has a decoder of its own, into the extensions and these properties.
macro_rules! record {
    ($vis:vis $name:ident = $type:literal in $inner:literal { $($field:literal: $shape:expr,)* }) => {
        $vis static $name: Record = Record {
            name: Some(concat!("spec.", $type)),
            inner: concat!("struct { ", $inner, " }"),
            fields: &[$(($field, $shape)),*],
        };
    };
}

const SCHEMA_LIST: Shape = Shape::List("[]spec.Schema", &Shape::Schema);
const SCHEMA_MAP: Shape = Shape::Map("map[string]spec.Schema", &Shape::Schema);
const DEFINITIONS: Shape = Shape::Map("spec.Definitions", &Shape::Schema);
const TEXT_LIST: Shape = Shape::List("[]string", &Shape::Text);
const TEXT_LIST_MAP: Shape = Shape::Map("map[string][]string", &TEXT_LIST);
const VALUES: Shape = Shape::List("[]interface {}", &Shape::Any);
const SECURITY: Shape = Shape::List("[]map[string][]string", &TEXT_LIST_MAP);
const DOCUMENTATION: Shape = Shape::Record(&Record {
    name: None,
    inner: "spec.ExternalDocumentation",
    fields: &[("description", Shape::Text), ("url", Shape::Text)],
});
const PARAMETERS: Shape = Shape::List("[]spec.Parameter", &Shape::Record(&PARAMETER));

record! {
    pub(super) SWAGGER = "Swagger" in "spec.Extensions; spec.SwaggerProps" {
        "id": Shape::Text,
        "consumes": TEXT_LIST,
        "produces": TEXT_LIST,
        "schemes": TEXT_LIST,
        "swagger": Shape::Text,
        "info": Shape::Record(&INFO),
        "host": Shape::Text,
        "basePath": Shape::Text,
        "paths": Shape::Paths,
        "definitions": DEFINITIONS,
        "parameters": Shape::Map("map[string]spec.Parameter", &Shape::Record(&PARAMETER)),
        "responses": Shape::Map("map[string]spec.Response", &Shape::Record(&RESPONSE)),
        "securityDefinitions": Shape::Map("spec.SecurityDefinitions", &Shape::Record(&SECURITY_SCHEME)),
        "security": SECURITY,
        "tags": Shape::List("[]spec.Tag", &Shape::Record(&TAG)),
        "externalDocs": DOCUMENTATION,
    }
}

record! {
    pub(super) SCHEMA = "Schema" in "spec.Extensions; spec.SchemaProps; spec.SwaggerSchemaProps" {
        "id": Shape::Text,
        "description": Shape::Text,
        "type": Shape::Texts,
        "nullable": Shape::Bool,
        "format": Shape::Text,
        "title": Shape::Text,
        "maximum": Shape::Float,
        "exclusiveMaximum": Shape::Bool,
        "minimum": Shape::Float,
        "exclusiveMinimum": Shape::Bool,
        "maxLength": Shape::Int,
        "minLength": Shape::Int,
        "pattern": Shape::Text,
        "maxItems": Shape::Int,
        "minItems": Shape::Int,
        "uniqueItems": Shape::Bool,
        "multipleOf": Shape::Float,
        "enum": VALUES,
        "maxProperties": Shape::Int,
        "minProperties": Shape::Int,
        "required": TEXT_LIST,
        "items": Shape::Schemas,
        "allOf": SCHEMA_LIST,
        "oneOf": SCHEMA_LIST,
        "anyOf": SCHEMA_LIST,
        "not": Shape::Schema,
        "properties": SCHEMA_MAP,
        "additionalProperties": Shape::SchemaOrBool,
        "patternProperties": SCHEMA_MAP,
        "dependencies": Shape::Map("spec.Dependencies", &Shape::SchemaOrTexts),
        "additionalItems": Shape::SchemaOrBool,
        "definitions": DEFINITIONS,
        "discriminator": Shape::Text,
        "readOnly": Shape::Bool,
        "externalDocs": DOCUMENTATION,
    }
}

record! {
    INFO = "Info" in "spec.Extensions; spec.InfoProps" {
        "description": Shape::Text,
        "title": Shape::Text,
        "termsOfService": Shape::Text,
        "version": Shape::Text,
    }
}

record! {
    pub(super) PATH_ITEM = "PathItem" in "spec.Extensions; spec.PathItemProps" {
        "get": Shape::Record(&OPERATION),
        "put": Shape::Record(&OPERATION),
        "post": Shape::Record(&OPERATION),
        "delete": Shape::Record(&OPERATION),
        "options": Shape::Record(&OPERATION),
        "head": Shape::Record(&OPERATION),
        "patch": Shape::Record(&OPERATION),
        "parameters": PARAMETERS,
    }
}

record! {
    OPERATION = "Operation" in "spec.Extensions; spec.OperationPropsNoMethods" {
        "description": Shape::Text,
        "consumes": TEXT_LIST,
        "produces": TEXT_LIST,
        "schemes": TEXT_LIST,
        "tags": TEXT_LIST,
        "summary": Shape::Text,
        "externalDocs": DOCUMENTATION,
        "operationId": Shape::Text,
        "deprecated": Shape::Bool,
        "security": SECURITY,
        "parameters": PARAMETERS,
        "responses": Shape::Responses,
    }
}

record! {
    PARAMETER = "Parameter" in "spec.CommonValidations; spec.SimpleSchema; spec.Extensions; spec.ParamProps" {
        "maximum": Shape::Float,
        "exclusiveMaximum": Shape::Bool,
        "minimum": Shape::Float,
        "exclusiveMinimum": Shape::Bool,
        "maxLength": Shape::Int,
        "minLength": Shape::Int,
        "pattern": Shape::Text,
        "maxItems": Shape::Int,
        "minItems": Shape::Int,
        "uniqueItems": Shape::Bool,
        "multipleOf": Shape::Float,
        "enum": VALUES,
        "type": Shape::Text,
        "nullable": Shape::Bool,
        "format": Shape::Text,
        "collectionFormat": Shape::Text,
        "description": Shape::Text,
        "name": Shape::Text,
        "in": Shape::Text,
        "required": Shape::Bool,
        "schema": Shape::Schema,
        "allowEmptyValue": Shape::Bool,
    }
}

record! {
    pub(super) RESPONSE = "Response" in "spec.ResponseProps; spec.Extensions" {
        "description": Shape::Text,
        "schema": Shape::Schema,
    }
}

record! {
    SECURITY_SCHEME = "SecurityScheme" in "spec.Extensions; spec.SecuritySchemeProps" {
        "description": Shape::Text,
        "type": Shape::Text,
        "name": Shape::Text,
        "in": Shape::Text,
        "flow": Shape::Text,
        "authorizationUrl": Shape::Text,
        "tokenUrl": Shape::Text,
        "scopes": Shape::Map("map[string]string", &Shape::Text),
    }
}

record! {
    TAG = "Tag" in "spec.Extensions; spec.TagProps" {
        "description": Shape::Text,
        "name": Shape::Text,
        "externalDocs": DOCUMENTATION,
    }
}
